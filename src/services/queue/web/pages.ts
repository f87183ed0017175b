import { html, type Html } from "../../../html/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
import * as Web from "../../../web/index.ts";
import { pagePolicy, pageStyle, renderPage } from "../../../web/page/index.ts";
import type { JobRecord, JobStatus, Queue } from "../contract.ts";
import { jobStatuses } from "../store/contract.ts";

const refreshIntervalSeconds = 5;
const maxInputLength = 10_000;

/** Request to a path with the ID of a job. */
type JobRequest = Web.Request<{ readonly id: string }>;

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

const queueTexts = (): LanguageInternals.ServiceTexts["queue"] => LanguageInternals.frameworkTexts().services.queue;

/** Writes a number in the language of the page. */
const formatNumber = (value: number): string => value.toLocaleString(LanguageInternals.frameworkLanguage());

/** Renders a time in UTC, with the full time in the `datetime` attribute. */
const renderTime = (date: Date): Html => {
  const options = { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" } as const;
  const text = date.toLocaleString(LanguageInternals.frameworkLanguage(), options);
  return html`<time datetime="${date.toISOString()}">${text}</time>`;
};

const renderStatus = (status: JobStatus): Html =>
  html`<span class="status ${status}">${queueTexts().statuses[status]}</span>`;

const respond = (page: Html): Web.Response =>
  Web.Response.html(page, { headers: { "cache-control": "no-store", "content-security-policy": dashboardPolicy } });

/** Answers with the page that lists the jobs, newest first. An unknown status matches all jobs. */
export async function showList(request: Web.Request, queue: Queue): Promise<Web.Response> {
  const query = Web.Query.withDefaults(Web.Query.ofRequest(request));
  const { limit, offset, filter = "" } = query;
  const status = jobStatuses.find((knownStatus) => knownStatus === request.query.get("status"));
  const [name, tag] = ["name", "tag"].map((key) => request.query.get(key) || undefined);
  const refresh = request.query.get("refresh") === "on" ? "on" : undefined;
  const [[jobs, total], counts] = await Promise.all([
    queue.search({ limit, offset, filter, status, name, tag }),
    queue.counts(),
  ]);
  const linkTo = (changes: Web.LinkQuery): string =>
    Web.link(request, "queue.jobs", {}, { status, name, tag, filter: filter || undefined, refresh, ...changes });
  const pageLink = (page: Web.Query | undefined, rel: "prev" | "next", text: string): Html | "" => {
    if (page === undefined) return "";
    const href = linkTo({ offset: page.offset, limit: limit === 50 ? undefined : limit });
    return html`<li><a href="${href}" rel="${rel}">${text}</a></li>`;
  };
  const newer = pageLink(Web.Query.previousPage(query), "prev", queueTexts().newer);
  const older = pageLink(Web.Query.nextPage(query, total), "next", queueTexts().older);
  const pagination = html`<nav aria-label="${queueTexts().pages}">
    <ul>
      ${newer} ${older}
    </ul>
  </nav>`;
  const range = queueTexts().range(formatNumber(offset + 1), formatNumber(offset + jobs.length), formatNumber(total));
  const content = html`<h1>${queueTexts().jobs}</h1>
    ${renderStatusLinks(counts, status, (linkedStatus) => linkTo({ status: linkedStatus }))}
    <form class="search row" method="get" action="${Web.link(request, "queue.jobs")}" role="search">
      ${status === undefined ? "" : html`<input type="hidden" name="status" value="${status}" />`}
      <label
        ><span>${queueTexts().nameOrTag}</span><input type="search" name="filter" value="${filter}" maxlength="256"
      /></label>
      <button>${queueTexts().search}</button>
    </form>
    <p class="meta">
      ${jobs.length === 0 ? queueTexts().noJobs : range}
      <a href="${linkTo({ refresh: refresh === undefined ? "on" : undefined })}"
        >${refresh === undefined ? queueTexts().refresh(refreshIntervalSeconds) : queueTexts().stopRefreshing}</a
      >
    </p>
    ${
      jobs.length === 0
        ? ""
        : html`<ol class="jobs list card">
            ${jobs.map((job) => renderItem(job, Web.link(request, "queue.job", { id: job.id })))}
          </ol>`
    }
    ${newer === "" && older === "" ? "" : pagination}`;
  const refreshSeconds = refresh === undefined ? undefined : refreshIntervalSeconds;
  return respond(renderPage({ title: queueTexts().jobs, style, refreshSeconds, content }));
}

function renderStatusLinks(
  counts: Readonly<Record<JobStatus, number>>,
  currentStatus: JobStatus | undefined,
  linkTo: (status: JobStatus | undefined) => string,
): Html {
  const total = jobStatuses.reduce((sum, status) => sum + counts[status], 0);
  const link = (status: JobStatus | undefined, text: string): Html =>
    status === currentStatus
      ? html`<li><a href="${linkTo(status)}" aria-current="page">${text}</a></li>`
      : html`<li><a href="${linkTo(status)}">${text}</a></li>`;
  return html`<nav aria-label="${queueTexts().status}">
    <ul>
      ${link(undefined, `${queueTexts().all} ${formatNumber(total)}`)}${jobStatuses.map((status) => link(status, `${queueTexts().statuses[status]} ${formatNumber(counts[status])}`))}
    </ul>
  </nav>`;
}

function renderItem({ name, tag, status, created_at, last_error }: JobRecord, href: string): Html {
  const [error = ""] = (last_error ?? "").split("\n");
  return html`<li>
    <a href="${href}">
      ${renderStatus(status)}
      <span class="title">${name}${tag === undefined ? "" : html` <span class="tag">${tag}</span>`}</span>
      ${renderTime(created_at)} ${error === "" ? "" : html`<span class="detail">${error}</span>`}
    </a>
  </li>`;
}

/** Answers with the page of a job: its fields, its error and its buttons. */
export async function showJob(request: JobRequest, queue: Queue, showInputs: boolean): Promise<Web.Response> {
  const job = await queue.find(request.params.id);
  const { id, name, status, last_error, last_error_at } = job;
  const [notice, alert] = [Web.Flash.notice(request), Web.Flash.alert(request)];
  const csrf = Web.Csrf.find(request);
  const button = (route: string, text: string, variant: "primary" | "danger"): Html =>
    html`<form method="post" action="${Web.link(request, route, { id })}">
      <input type="hidden" name="csrf" value="${csrf}" /><button class="${variant}">${text}</button>
    </form>`;
  const requeueText = status === "pending" ? queueTexts().startNow : queueTexts().requeue;
  const isCancellable = status === "pending" || status === "running";
  const content = html`<p class="back"><a href="${Web.link(request, "queue.jobs")}">${queueTexts().jobs}</a></p>
    <h1>${name}</h1>
    ${notice === undefined ? "" : html`<p class="message notice" role="status">${notice}</p>`}
    ${alert === undefined ? "" : html`<p class="message alert" role="alert">${alert}</p>`}
    <dl class="card">
      ${fieldsOf(job).map(([term, value]) =>
        value === undefined
          ? ""
          : html`<dt>${term}</dt>
              <dd>${value}</dd>`,
      )}
    </dl>
    <div class="row">
      ${status === "running" ? "" : button("queue.job.requeue", requeueText, "primary")}
      ${isCancellable ? button("queue.job.cancel", queueTexts().cancel, "danger") : ""}
    </div>
    ${
      last_error === undefined
        ? ""
        : html`<h2>
              ${queueTexts().lastError}${last_error_at === undefined ? "" : html` ${renderTime(last_error_at)}`}
            </h2>
            <pre class="card">${last_error}</pre>`
    }
    ${
      showInputs
        ? html`<h2>${queueTexts().input}</h2>
            <pre class="card">${formatInput(job.input)}</pre>`
        : ""
    }`;
  return respond(renderPage({ title: `${name}: ${queueTexts().statuses[status]}`, style, content }));
}

/** Returns the fields on the page of a job; those without a value are `undefined`. */
function fieldsOf(job: JobRecord): readonly (readonly [term: string, value: Html | string | undefined])[] {
  const time = (date: Date | undefined): Html | undefined => (date === undefined ? undefined : renderTime(date));
  return [
    [queueTexts().status, renderStatus(job.status)],
    [queueTexts().priority, queueTexts().priorities[job.priority]],
    [queueTexts().tag, job.tag],
    [queueTexts().attempts, queueTexts().attemptsOf(formatNumber(job.attempts), formatNumber(job.max_attempts))],
    [queueTexts().dispatched, renderTime(job.created_at)],
    [queueTexts().startsAt, job.status === "pending" ? renderTime(job.next_run_at) : undefined],
    [queueTexts().lastStarted, time(job.started_at)],
    [queueTexts().leasedUntil, time(job.leased_until)],
    [queueTexts().finished, time(job.finished_at)],
    [queueTexts().context, job.ctx.map(([key, value]) => `${key}: ${value}`).join(", ") || undefined],
    [queueTexts().id, job.id],
  ];
}

/** Formats an input with indentation. A long one, such as a mail with attachments, is truncated. */
function formatInput(json: string): string {
  if (json === "") return queueTexts().noInput;
  if (json.length > maxInputLength)
    return `${json.slice(0, maxInputLength)}… (${queueTexts().characters(formatNumber(json.length))})`;
  return JSON.stringify(JSON.parse(json), undefined, 2);
}

/** Cancels a job and redirects to its page. */
export function cancelJob(request: JobRequest, queue: Queue): Promise<Web.Response> {
  return changeJob(request, queue, "cancel", queueTexts().cancelled, queueTexts().notCancelled);
}

/** Requeues a job and redirects to its page. */
export function requeueJob(request: JobRequest, queue: Queue): Promise<Web.Response> {
  return changeJob(request, queue, "requeue", queueTexts().requeued, queueTexts().notRequeued);
}

async function changeJob(
  request: JobRequest,
  queue: Queue,
  operation: "cancel" | "requeue",
  notice: string,
  refusal: string,
): Promise<Web.Response> {
  const { id } = await queue.find(request.params.id);
  const isChanged = await queue[operation](id);
  const response = Web.Response.redirect(Web.link(request, "queue.job", { id }));
  return isChanged ? Web.Flash.setNotice(notice, response) : Web.Flash.setAlert(refusal, response);
}
