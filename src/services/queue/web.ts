import type { Html } from "../../html/index.ts";
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
} from "../../web/index.ts";
import type { Instance, Queue, Status } from "./contract.ts";
import { errors } from "./errors.ts";
import { statuses } from "./store.ts";

/** What the dashboard shows. */
export interface DashboardOptions {
  readonly queue: Queue;
  /** Whether the page of a job shows its input, which may be personal. Default true. */
  readonly showInputs?: boolean;
}

const refreshTime = 5;

/**
 * The dashboard of a queue: the jobs by status, name and tag, the page of each with its error, and buttons that cancel it
 * or let it begin anew.
 *
 * Whoever can reach it sees and changes all jobs: mount it behind a guard of your own, such as one that lets
 * administrators pass.
 *
 * @example
 * Web.choose([Queue.Web.router({ queue })], { scope: "/admin/queue", middlewares: [requireAdmin] });
 */
export function router({ queue, showInputs = true }: DashboardOptions): Router {
  const find = async (id: string): Promise<Instance> => {
    const instance = await queue.find(id);
    if (instance === undefined) throw errors.E_QUEUE_JOB_UNKNOWN();
    return instance;
  };
  return choose(
    [
      get("/", (request) => list(request, queue), { name: "queue.jobs" }),
      get("/:id", async (request) => job(request, await find(request.params.id), showInputs), { name: "queue.job" }),
      post(
        "/:id/cancel",
        async (request) => {
          const { id } = await find(request.params.id);
          return (await queue.cancel(id))
            ? done(request, id, "The job is cancelled.")
            : refused(request, id, "The job has ended already.");
        },
        { name: "queue.job.cancel" },
      ),
      post(
        "/:id/requeue",
        async (request) => {
          const { id } = await find(request.params.id);
          return (await queue.requeue(id))
            ? done(request, id, "The job begins anew.")
            : refused(request, id, "The job is running, or another with its key is pending or running.");
        },
        { name: "queue.job.requeue" },
      ),
    ],
    { middlewares: Middleware.site() },
  );
}

async function list(request: Request, queue: Queue): Promise<Response> {
  const query = Query.withDefaults(Query.ofRequest(request));
  const { limit, offset, filter = "" } = query;
  const [status, name, tag] = [statusOf(request), valueOf(request, "name"), valueOf(request, "tag")];
  const isRefreshed = request.query.get("refresh") === "on";
  const [[instances, total], counts] = await Promise.all([
    queue.search({ limit, offset, filter, status, name, tag }),
    queue.counts(),
  ]);
  const all = { status, name, tag, filter: filter === "" ? undefined : filter };
  const refresh = isRefreshed ? "on" : undefined;
  const to = (changes: LinkQuery): string => link(request, "queue.jobs", {}, { ...all, refresh, ...changes });
  const page = (turned: Query | undefined): string | undefined =>
    turned === undefined ? undefined : to({ offset: turned.offset, limit: limit === 50 ? undefined : limit });
  const { listPage } = await import("./dashboard/pages.ts");
  return show(
    listPage({
      instances,
      total,
      offset,
      counts,
      status,
      filter,
      refresh: isRefreshed ? refreshTime : undefined,
      links: {
        job: (id) => link(request, "queue.job", { id }),
        status: (other) => to({ status: other }),
        search: link(request, "queue.jobs"),
        refresh: to({ refresh: isRefreshed ? undefined : "on" }),
        previous: page(Query.previousPage(query)),
        next: page(Query.nextPage(query, total)),
      },
    }),
  );
}

async function job(request: Request, instance: Instance, showInputs: boolean): Promise<Response> {
  const { id } = instance;
  const { jobPage } = await import("./dashboard/pages.ts");
  return show(
    jobPage({
      instance,
      input: showInputs ? readable(instance.input) : undefined,
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

// What pages are made of is loaded when one is asked for: most starts never need it (docs/decisions/008).
async function show(page: Html): Promise<Response> {
  const { policy } = await import("./dashboard/policy.ts");
  return Response.html(page, { headers: { "cache-control": "no-store", "content-security-policy": policy } });
}

const back = (request: Request, id: string): Response => Response.redirect(link(request, "queue.job", { id }));

const done = (request: Request, id: string, text: string): Response => Flash.setNotice(text, back(request, id));

const refused = (request: Request, id: string, text: string): Response => Flash.setAlert(text, back(request, id));

const longestInput = 10_000;

/** What people can read of an input: a long one, such as a mail with what is attached, is cut. */
function readable(json: string): string {
  if (json === "") return "";
  if (json.length > longestInput) return `${json.slice(0, longestInput)}… (${json.length} characters)`;
  return JSON.stringify(JSON.parse(json), undefined, 2);
}

const valueOf = (request: Request, key: string): string | undefined => request.query.get(key) || undefined;

/** Anything else is looked for in vain: all are shown. */
const statusOf = (request: Request): Status | undefined =>
  statuses.find((status) => status === request.query.get("status"));
