import { html, type Html } from "../../../html/index.ts";
import * as Web from "../../../web/index.ts";
import { pagePolicy, pageStyle, renderPage } from "../../../web/page/index.ts";
import type { JobRecord, JobStatus, Queue } from "../contract.ts";
import { jobStatuses } from "../store/contract.ts";

const refreshIntervalSeconds = 5;
const maxInputLength = 10_000;

/** Request to a path with the ID of a job. */
type JobRequest = Web.Request<{ readonly id: string }>;

/** Content and links of the list page. */
interface ListView {
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
interface JobView {
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
const dashboardPolicy = pagePolicy(style, { "form-action": "'self'" });

/** Renders a time as `2030-01-31 12:00:05` in UTC, with the full time in the `datetime` attribute. */
const renderTime = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 19).replace("T", " ")}</time>`;

const renderStatus = (status: JobStatus): Html => html`<span class="status ${status}">${status}</span>`;

/** Renders the list of jobs, newest first. */
function renderList(view: ListView): Html {
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
function renderJob({ job, input, notice, alert, csrf, links }: JobView): Html {
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

/** Answers with the page that lists the jobs. */
export async function showList(request: Web.Request, queue: Queue): Promise<Web.Response> {
  const query = Web.Query.withDefaults(Web.Query.ofRequest(request));
  const { limit, offset, filter = "" } = query;
  const [status, name, tag] = [
    statusParameter(request),
    queryParameter(request, "name"),
    queryParameter(request, "tag"),
  ];
  const isRefreshed = request.query.get("refresh") === "on";
  const [[jobs, total], counts] = await Promise.all([
    queue.search({ limit, offset, filter, status, name, tag }),
    queue.counts(),
  ]);
  const parameters = { status, name, tag, filter: filter === "" ? undefined : filter };
  const refresh = isRefreshed ? "on" : undefined;
  const linkTo = (changes: Web.LinkQuery): string =>
    Web.link(request, "queue.jobs", {}, { ...parameters, refresh, ...changes });
  const pageLink = (page: Web.Query | undefined): string | undefined =>
    page === undefined ? undefined : linkTo({ offset: page.offset, limit: limit === 50 ? undefined : limit });
  return respond(
    renderList({
      jobs,
      total,
      offset,
      counts,
      status,
      filter,
      refreshSeconds: isRefreshed ? refreshIntervalSeconds : undefined,
      links: {
        job: (id) => Web.link(request, "queue.job", { id }),
        status: (linkedStatus) => linkTo({ status: linkedStatus }),
        search: Web.link(request, "queue.jobs"),
        refresh: linkTo({ refresh: isRefreshed ? undefined : "on" }),
        previous: pageLink(Web.Query.previousPage(query)),
        next: pageLink(Web.Query.nextPage(query, total)),
      },
    }),
  );
}

/** Answers with the page of a job. */
export async function showJob(request: JobRequest, queue: Queue, showInputs: boolean): Promise<Web.Response> {
  const job = await queue.find(request.params.id);
  const { id } = job;
  return respond(
    renderJob({
      job,
      input: showInputs ? formatInput(job.input) : undefined,
      notice: Web.Flash.notice(request),
      alert: Web.Flash.alert(request),
      csrf: Web.Csrf.find(request),
      links: {
        list: Web.link(request, "queue.jobs"),
        cancel: Web.link(request, "queue.job.cancel", { id }),
        requeue: Web.link(request, "queue.job.requeue", { id }),
      },
    }),
  );
}

/** Cancels a job and redirects to its page. */
export async function cancelJob(request: JobRequest, queue: Queue): Promise<Web.Response> {
  const { id } = await queue.find(request.params.id);
  return (await queue.cancel(id))
    ? redirectWithNotice(request, id, "The job is cancelled.")
    : redirectWithAlert(request, id, "The job has already finished.");
}

/** Requeues a job and redirects to its page. */
export async function requeueJob(request: JobRequest, queue: Queue): Promise<Web.Response> {
  const { id } = await queue.find(request.params.id);
  return (await queue.requeue(id))
    ? redirectWithNotice(request, id, "The job is requeued.")
    : redirectWithAlert(request, id, "The job is running, or another job with its key is pending or running.");
}

const respond = (page: Html): Web.Response =>
  Web.Response.html(page, { headers: { "cache-control": "no-store", "content-security-policy": dashboardPolicy } });

const redirectToJob = (request: Web.Request, id: string): Web.Response =>
  Web.Response.redirect(Web.link(request, "queue.job", { id }));

const redirectWithNotice = (request: Web.Request, id: string, notice: string): Web.Response =>
  Web.Flash.setNotice(notice, redirectToJob(request, id));

const redirectWithAlert = (request: Web.Request, id: string, alert: string): Web.Response =>
  Web.Flash.setAlert(alert, redirectToJob(request, id));

/** Formats an input with indentation. A long one, such as a mail with attachments, is truncated. */
function formatInput(json: string): string {
  if (json === "") return "";
  if (json.length > maxInputLength) return `${json.slice(0, maxInputLength)}… (${json.length} characters)`;
  return JSON.stringify(JSON.parse(json), undefined, 2);
}

const queryParameter = (request: Web.Request, key: string): string | undefined => request.query.get(key) || undefined;

/** Returns the status of the query; `undefined`, which matches all jobs, for an unknown one. */
const statusParameter = (request: Web.Request): JobStatus | undefined =>
  jobStatuses.find((status) => status === request.query.get("status"));
