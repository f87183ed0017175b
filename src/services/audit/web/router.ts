import { lazy } from "../../../core/index.ts";
import type { Html } from "../../../html/index.ts";
import { Schema } from "../../../schema/index.ts";
import type { PageComponents } from "../../../web/components/index.ts";
import {
  choose,
  type FilterType,
  get,
  mapResponse,
  Middleware,
  Query,
  type Request,
  Rest,
  type Router,
} from "../../../web/index.ts";
import type { UserService } from "../../user/contract.ts";
import type { Audit } from "../contract.ts";
import { errors } from "../errors.ts";
import type { AuditPages } from "./pages.ts";

/** Options of `Audit.Web.router`. */
export interface AuditRouterOptions {
  readonly audit: Audit;
  /**
   * Middlewares that let only those pass who may see all entries, such as `User.Web.requireAdmin()`. They run after `middlewares`.
   */
  readonly guards: readonly [Middleware, ...Middleware[]];
  /** Layout of the pages. */
  readonly layout: (request: Request, title: string, content: Html) => Html | Promise<Html>;
  /** User service: pages show addresses instead of ids, and the filter takes them. Default: ids. */
  readonly user?: Pick<UserService, "findOpt" | "findByEmailOpt">;
  /** Labels of the actions of the application, such as a group of a catalogue: `{ "invoice.delete": "Invoice deleted" }`. */
  readonly actions?: Readonly<Record<string, string>>;
  /** Components that replace those of `limmat/components`: the module `web/view/components.ts` of a project. */
  readonly components?: Partial<PageComponents>;
  /** Middlewares of the routes. Default `Web.Middleware.site()`. */
  readonly middlewares?: readonly Middleware[];
}

/** Filters of the list and of its CSV file. */
const filterBy: Readonly<Record<string, FilterType>> = {
  action: Query.text,
  user_id: Query.text,
  impersonator_id: Query.text,
  subject_table: Query.text,
  subject_id: Query.text,
  request_id: Query.text,
  created_at: Query.range(Query.timestamp),
};

// Personal data stays out of caches, also the one that the back button shows after logout.
const uncached: Middleware = (handler) => (request) =>
  mapResponse(handler(request), (response) => response.withDefaultHeaders({ "cache-control": "no-store" }));

/**
 * Creates the pages of an audit trail below `/audit`: a list with filters, which a CSV file has too, the entries of one row
 * (`?subject_table=invoices&subject_id=…`), and a page per entry. Whoever passes the guards sees all entries, with personal data.
 * A download is recorded as `audit.export`. It fails with E_AUDIT_ACTOR if `Audit.Web.middleware` does not say who makes it.
 *
 * @throws E_AUDIT_GUARD without a guard
 * @example
 * Web.choose([Audit.Web.router({ audit, user, layout, guards: [User.Web.requireAdmin()] })], { scope: "/admin" });
 */
export function auditRouter(options: AuditRouterOptions): Router {
  const { guards, middlewares = Middleware.site() } = options;
  // Also for callers without types: an empty list would open the pages.
  const isGuarded = Array.isArray(guards) && guards.length > 0 && guards.every((guard) => typeof guard === "function");
  if (!isGuarded) throw errors.E_AUDIT_GUARD();
  // Loaded on the first request, because most processes never serve them (docs/decisions/017).
  const pages = lazy(async () => (await import("./pages.ts")).makePages(options, filterBy));
  return choose(
    [
      get("/audit.csv", async (request) => (await pages()).download(request), { name: "audit.csv" }),
      ...Rest.resourceOfService({
        name: "audit",
        only: ["index", "show"],
        schema: Schema.record({}),
        filterBy,
        // Bounds the users that a page looks up.
        maxLimit: 100,
        view: {
          index: async (...page: Parameters<AuditPages["index"]>) => (await pages()).index(...page),
          show: async (...page: Parameters<AuditPages["show"]>) => (await pages()).show(...page),
        },
        service: {
          search: async (query: Query): ReturnType<AuditPages["search"]> => (await pages()).search(query),
          find: async (id: string): ReturnType<AuditPages["find"]> => (await pages()).find(id),
        },
      }),
    ],
    { middlewares: [...middlewares, ...guards, uncached] },
  );
}
