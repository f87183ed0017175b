import { html, type Html, unsafeHtml } from "../../../html/index.ts";
import type { JobRecord, JobStatus } from "../contract.ts";
import { jobStatuses } from "../store/contract.ts";
import { dashboardStyle } from "./style.ts";

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

const dashboardStyleElement = unsafeHtml(`<style>${dashboardStyle}</style>`);

/** Renders a time as `2030-01-31 12:00:05` in UTC, with the full time in the `datetime` attribute. */
const renderTime = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 19).replace("T", " ")}</time>`;

const renderStatus = (status: JobStatus): Html => html`<span class="status ${status}">${status}</span>`;

const renderPage = (title: string, content: Html, refreshSeconds?: number): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${refreshSeconds === undefined ? "" : html`<meta http-equiv="refresh" content="${String(refreshSeconds)}" />`}
        <title>${title}</title>
        ${dashboardStyleElement}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`;

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
  return renderPage(
    "Jobs",
    html`<h1>Jobs</h1>
      ${renderStatusLinks(view)}
      <form method="get" action="${links.search}" role="search">
        ${view.status === undefined ? "" : html`<input type="hidden" name="status" value="${view.status}" />`}
        <label><span>Name or tag</span><input type="search" name="filter" value="${filter}" maxlength="256" /></label>
        <button>Search</button>
      </form>
      <p class="soft">
        ${jobs.length === 0 ? "No jobs match." : `${range}, newest first. Times are in UTC.`}
        <a href="${links.refresh}">${refreshSeconds === undefined ? "Refresh every 5 seconds" : "Stop refreshing"}</a>
      </p>
      ${
        jobs.length === 0
          ? ""
          : html`<ol class="jobs card">
              ${jobs.map((job) => renderItem(job, links.job))}
            </ol>`
      }
      ${links.previous === undefined && links.next === undefined ? "" : pagination}`,
    refreshSeconds,
  );
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
      <span class="name">${name}${tag === undefined ? "" : html` <span class="tag">${tag}</span>`}</span>
      ${renderTime(created_at)} ${error === "" ? "" : html`<span class="error">${error}</span>`}
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
  const button = (action: string, text: string): Html =>
    html`<form method="post" action="${action}">
      <input type="hidden" name="csrf" value="${csrf}" /><button>${text}</button>
    </form>`;
  const isCancellable = status === "pending" || status === "running";
  return renderPage(
    `${name}: ${status}`,
    html`<p><a href="${links.list}">Jobs</a></p>
      <h1>${name}</h1>
      ${notice === undefined ? "" : html`<p class="card notice" role="status">${notice}</p>`}
      ${alert === undefined ? "" : html`<p class="card alert" role="alert">${alert}</p>`}
      <dl class="card">
        ${rows.map(([term, value]) =>
          value === undefined
            ? ""
            : html`<dt>${term}</dt>
                <dd>${value}</dd>`,
        )}
      </dl>
      ${status === "running" ? "" : button(links.requeue, status === "pending" ? "Start now" : "Requeue")}
      ${isCancellable ? button(links.cancel, "Cancel") : ""}
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
  );
}

const renderTimeOpt = (date: Date | undefined): Html | undefined => (date === undefined ? undefined : renderTime(date));
