import type { Html } from "../../../html/index.ts";
import {
  choose,
  Csrf,
  Flash,
  get,
  link,
  type LinkQuery,
  Middleware,
  post,
  Query,
  type Request,
  Response,
  type Router,
} from "../../../web/index.ts";
import type { JobRecord, JobStatus, Queue } from "../contract.ts";
import { jobStatuses } from "../store/contract.ts";

/** Options of `Queue.Web.router`. */
export interface DashboardOptions {
  readonly queue: Queue;
  /** True if the page of a job shows its input, which may be personal data. Default true. */
  readonly showInputs?: boolean;
}

const refreshSeconds = 5;
const maxInputLength = 10_000;

/**
 * Creates the dashboard of a queue: a list of jobs by status, name and tag, and a page per job with its error and buttons to
 * cancel or requeue it.
 *
 * Everyone who can reach it sees and changes all jobs: mount it behind a guard, such as one for administrators.
 *
 * @example
 * Web.choose([Queue.Web.router({ queue })], { scope: "/admin/queue", middlewares: [requireAdmin] });
 */
export function router({ queue, showInputs = true }: DashboardOptions): Router {
  return choose(
    [
      get("/", (request) => showList(request, queue), { name: "queue.jobs" }),
      get("/:id", async (request) => showJob(request, await queue.find(request.params.id), showInputs), {
        name: "queue.job",
      }),
      post(
        "/:id/cancel",
        async (request) => {
          const { id } = await queue.find(request.params.id);
          return (await queue.cancel(id))
            ? redirectWithNotice(request, id, "The job is cancelled.")
            : redirectWithAlert(request, id, "The job has already finished.");
        },
        { name: "queue.job.cancel" },
      ),
      post(
        "/:id/requeue",
        async (request) => {
          const { id } = await queue.find(request.params.id);
          return (await queue.requeue(id))
            ? redirectWithNotice(request, id, "The job is requeued.")
            : redirectWithAlert(request, id, "The job is running, or another job with its key is pending or running.");
        },
        { name: "queue.job.requeue" },
      ),
    ],
    { middlewares: Middleware.site() },
  );
}

async function showList(request: Request, queue: Queue): Promise<Response> {
  const query = Query.withDefaults(Query.ofRequest(request));
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
  const linkTo = (changes: LinkQuery): string =>
    link(request, "queue.jobs", {}, { ...parameters, refresh, ...changes });
  const pageLink = (page: Query | undefined): string | undefined =>
    page === undefined ? undefined : linkTo({ offset: page.offset, limit: limit === 50 ? undefined : limit });
  const { renderList } = await import("./pages.ts");
  return respond(
    renderList({
      jobs,
      total,
      offset,
      counts,
      status,
      filter,
      refreshSeconds: isRefreshed ? refreshSeconds : undefined,
      links: {
        job: (id) => link(request, "queue.job", { id }),
        status: (linkedStatus) => linkTo({ status: linkedStatus }),
        search: link(request, "queue.jobs"),
        refresh: linkTo({ refresh: isRefreshed ? undefined : "on" }),
        previous: pageLink(Query.previousPage(query)),
        next: pageLink(Query.nextPage(query, total)),
      },
    }),
  );
}

async function showJob(request: Request, job: JobRecord, showInputs: boolean): Promise<Response> {
  const { id } = job;
  const { renderJob } = await import("./pages.ts");
  return respond(
    renderJob({
      job,
      input: showInputs ? formatInput(job.input) : undefined,
      notice: Flash.notice(request),
      alert: Flash.alert(request),
      csrf: Csrf.find(request),
      links: {
        list: link(request, "queue.jobs"),
        cancel: link(request, "queue.job.cancel", { id }),
        requeue: link(request, "queue.job.requeue", { id }),
      },
    }),
  );
}

// The pages are loaded on the first request, because most processes never serve them (docs/decisions/017).
async function respond(page: Html): Promise<Response> {
  const { dashboardPolicy } = await import("./pages.ts");
  return Response.html(page, {
    headers: { "cache-control": "no-store", "content-security-policy": dashboardPolicy },
  });
}

const redirectToJob = (request: Request, id: string): Response => Response.redirect(link(request, "queue.job", { id }));

const redirectWithNotice = (request: Request, id: string, notice: string): Response =>
  Flash.setNotice(notice, redirectToJob(request, id));

const redirectWithAlert = (request: Request, id: string, alert: string): Response =>
  Flash.setAlert(alert, redirectToJob(request, id));

/** Formats an input with indentation. A long one, such as a mail with attachments, is truncated. */
function formatInput(json: string): string {
  if (json === "") return "";
  if (json.length > maxInputLength) return `${json.slice(0, maxInputLength)}… (${json.length} characters)`;
  return JSON.stringify(JSON.parse(json), undefined, 2);
}

const queryParameter = (request: Request, key: string): string | undefined => request.query.get(key) || undefined;

/** Returns the status of the query; `undefined`, which matches all jobs, for an unknown one. */
const statusParameter = (request: Request): JobStatus | undefined =>
  jobStatuses.find((status) => status === request.query.get("status"));
