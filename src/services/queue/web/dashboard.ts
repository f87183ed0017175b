import { ConfigurationInternals } from "../../../config/index.ts";
import { lazy } from "../../../core/index.ts";
import { choose, get, Middleware, post, type Router } from "../../../web/index.ts";
import type { Queue } from "../contract.ts";
import { errors } from "../errors.ts";

/** Options of `Queue.Web.router`. */
export interface DashboardOptions {
  readonly queue: Queue;
  /** True if the page of a job shows its input, which may be personal data. Default true. */
  readonly showInputs?: boolean;
  /**
   * Middlewares that let only authorized visitors pass, such as `User.Web.requireAdmin`. Without one, the dashboard responds
   * with E_QUEUE_DASHBOARD_CLOSED (404) unless `FRAMEWORK_ENV` is set to `development` or `test`.
   */
  readonly guards?: readonly Middleware[];
}

// The pages are loaded on the first request, because most processes never serve them (docs/decisions/017).
const loadPages = lazy(() => import("./pages.ts"));

/** Refuses requests where a dashboard without a guard must not be open. */
const outsideProduction: Middleware = (handler) => (request) => {
  if (ConfigurationInternals.hasOpenDeveloperPages()) return handler(request);
  throw errors.E_QUEUE_DASHBOARD_CLOSED();
};

/**
 * Creates the dashboard of a queue: a list of jobs by status, name and tag, and a page per job with its error and buttons to
 * cancel or requeue it.
 *
 * Everyone who passes the guards sees and changes all jobs. They run after the middlewares of the site, so that they can read
 * the session.
 *
 * @example
 * Web.choose([Queue.Web.router({ queue, guards: [User.Web.requireAdmin()] })], { scope: "/admin/queue" });
 */
export function router({ queue, showInputs = true, guards = [] }: DashboardOptions): Router {
  return choose(
    [
      get("/", async (request) => (await loadPages()).showList(request, queue), { name: "queue.jobs" }),
      get("/:id", async (request) => (await loadPages()).showJob(request, queue, showInputs), { name: "queue.job" }),
      post("/:id/cancel", async (request) => (await loadPages()).cancelJob(request, queue), {
        name: "queue.job.cancel",
      }),
      post("/:id/requeue", async (request) => (await loadPages()).requeueJob(request, queue), {
        name: "queue.job.requeue",
      }),
    ],
    { middlewares: [...(guards.length === 0 ? [outsideProduction] : []), ...Middleware.site(), ...guards] },
  );
}
