import { html, type Html } from "../../../html/index.ts";
import { pagePolicy, pageStyle, renderPage } from "../../../web/page/index.ts";
import type { JobRecord, JobStatus } from "../contract.ts";
import { jobStatuses } from "../store/contract.ts";

/** Content and links of the list page. */
export interface ListView {
  readonly jobs: readonly JobRecord[];
  readonly total: number;
  readonly offset: number;
  readonly counts: Readonly<Record<JobStatus, number>>;
  readonly status: JobStatus | undefined;
  readonly filter: string;
  /** Interval of the automatic refresh; `undefined` without one. */
  readonly refreshSeconds: number | undefined;
  readonly links: {
    readonly job: (id: string) => string;
    readonly status: (status: JobStatus | undefined) => string;
    readonly search: string;
    readonly refresh: string;
    readonly previous: string | undefined;
    readonly next: string | undefined;
  };
}

/** Content and links of the page of a job. */
export interface JobView {
  readonly job: JobRecord;
  /** `undefined` if inputs are hidden. */
  readonly input: string | undefined;
  readonly notice: string | undefined;
  readonly alert: string | undefined;
  readonly csrf: string;
  readonly links: { readonly list: string; readonly cancel: string; readonly requeue: string };
}

/** Additional rules of the dashboard: the state of a job with its colour. */
const style = pageStyle(`
.jobs a{grid-template-columns:6.5rem 1fr auto}.jobs .title{grid-column:2}.jobs time{grid-column:3}.jobs .detail{grid-column:2/-1}
.tag{color:var(--muted);font-weight:400}
.status{--color:var(--muted)}.succeeded{--color:light-dark(#2b7a3d,#7ddc92)}.failed{--color:light-dark(#b42318,#ff9d91)}
.pending,.running{--color:light-dark(#8a5a00,#f2c265)}
.status::before{content:"";display:inline-block;width:.625rem;height:.625rem;margin-right:.5rem;border-radius:50%;background:var(--color)}
.pending::before{background:none;box-shadow:inset 0 0 0 2px var(--color)}
.search{align-items:end}.search label{flex:1 1 12rem;margin:0}.search label span{display:block;margin-bottom:.25rem}
@media(max-width:40rem){.jobs a{grid-template-columns:1fr auto}.jobs .title{grid-row:1;grid-column:1/-1}.jobs .status{grid-column:1}
.jobs time{grid-column:2}.jobs .detail{grid-column:1/-1}}`);

/** Content-Security-Policy of the dashboard: allows its style and its forms. */
export const dashboardPolicy: string = pagePolicy(style, { "form-action": "'self'" });

/** Renders a time as `2030-01-31 12:00:05` in UTC, with the full time in the `datetime` attribute. */
const renderTime = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 19).replace("T", " ")}</time>`;

const renderStatus = (status: JobStatus): Html => html`<span class="status ${status}">${status}</span>`;

/** Renders the list of jobs, newest first. */
export function renderList(view: ListView): Html {
  const { jobs, total, offset, filter, refreshSeconds, links } = view;
  const range = `${offset + 1} to ${offset + jobs.length} of ${total}`;
  const pagination = html`<nav aria-label="Pages">
    <ul>
      ${links.previous === undefined ? "" : html`<li><a href="${links.previous}" rel="prev">Newer</a></li>`}
      ${links.next === undefined ? "" : html`<li><a href="${links.next}" rel="next">Older</a></li>`}
    </ul>
  </nav>`;
  return renderPage({
    title: "Jobs",
    style,
    refreshSeconds,
    content: html`<h1>Jobs</h1>
      ${renderStatusLinks(view)}
      <form class="search row" method="get" action="${links.search}" role="search">
        ${view.status === undefined ? "" : html`<input type="hidden" name="status" value="${view.status}" />`}
        <label><span>Name or tag</span><input type="search" name="filter" value="${filter}" maxlength="256" /></label>
        <button>Search</button>
      </form>
      <p class="meta">
        ${jobs.length === 0 ? "No jobs match." : `${range}, newest first. Times are in UTC.`}
        <a href="${links.refresh}">${refreshSeconds === undefined ? "Refresh every 5 seconds" : "Stop refreshing"}</a>
      </p>
      ${
        jobs.length === 0
          ? ""
          : html`<ol class="jobs list card">
              ${jobs.map((job) => renderItem(job, links.job))}
            </ol>`
      }
      ${links.previous === undefined && links.next === undefined ? "" : pagination}`,
  });
}

function renderStatusLinks({ counts, status: currentStatus, links }: ListView): Html {
  const total = jobStatuses.reduce((sum, status) => sum + counts[status], 0);
  const link = (status: JobStatus | undefined, text: string): Html =>
    status === currentStatus
      ? html`<li><a href="${links.status(status)}" aria-current="page">${text}</a></li>`
      : html`<li><a href="${links.status(status)}">${text}</a></li>`;
  return html`<nav aria-label="Status">
    <ul>
      ${link(undefined, `all ${total}`)}${jobStatuses.map((status) => link(status, `${status} ${counts[status]}`))}
    </ul>
  </nav>`;
}

function renderItem({ id, name, tag, status, created_at, last_error }: JobRecord, link: (id: string) => string): Html {
  const [error = ""] = (last_error ?? "").split("\n");
  return html`<li>
    <a href="${link(id)}">
      ${renderStatus(status)}
      <span class="title">${name}${tag === undefined ? "" : html` <span class="tag">${tag}</span>`}</span>
      ${renderTime(created_at)} ${error === "" ? "" : html`<span class="detail">${error}</span>`}
    </a>
  </li>`;
}

/** Renders the page of a job: its fields, its error and its buttons. */
export function renderJob({ job, input, notice, alert, csrf, links }: JobView): Html {
  const { id, name, status, last_error, last_error_at, ctx } = job;
  const rows: readonly (readonly [string, Html | string | undefined])[] = [
    ["Status", renderStatus(status)],
    ["Priority", job.priority],
    ["Tag", job.tag],
    ["Attempts", `${job.attempts} of ${job.max_attempts}`],
    ["Dispatched", renderTime(job.created_at)],
    ["Starts at", status === "pending" ? renderTime(job.next_run_at) : undefined],
    ["Last started", renderTimeOpt(job.started_at)],
    ["Leased until", renderTimeOpt(job.leased_until)],
    ["Finished", renderTimeOpt(job.finished_at)],
    ["Context", ctx.length === 0 ? undefined : ctx.map(([key, value]) => `${key}: ${value}`).join(", ")],
    ["ID", id],
  ];
  const button = (action: string, text: string, variant: "primary" | "danger"): Html =>
    html`<form method="post" action="${action}">
      <input type="hidden" name="csrf" value="${csrf}" /><button class="${variant}">${text}</button>
    </form>`;
  const isCancellable = status === "pending" || status === "running";
  return renderPage({
    title: `${name}: ${status}`,
    style,
    content: html`<p class="back"><a href="${links.list}">Jobs</a></p>
      <h1>${name}</h1>
      ${notice === undefined ? "" : html`<p class="message notice" role="status">${notice}</p>`}
      ${alert === undefined ? "" : html`<p class="message alert" role="alert">${alert}</p>`}
      <dl class="card">
        ${rows.map(([term, value]) =>
          value === undefined
            ? ""
            : html`<dt>${term}</dt>
                <dd>${value}</dd>`,
        )}
      </dl>
      <div class="row">
        ${status === "running" ? "" : button(links.requeue, status === "pending" ? "Start now" : "Requeue", "primary")}
        ${isCancellable ? button(links.cancel, "Cancel", "danger") : ""}
      </div>
      ${
        last_error === undefined
          ? ""
          : html`<h2>Last error${last_error_at === undefined ? "" : html` ${renderTime(last_error_at)}`}</h2>
              <pre class="card">${last_error}</pre>`
      }
      ${
        input === undefined
          ? ""
          : html`<h2>Input</h2>
              <pre class="card">${input === "" ? "none" : input}</pre>`
      }`,
  });
}

const renderTimeOpt = (date: Date | undefined): Html | undefined => (date === undefined ? undefined : renderTime(date));
