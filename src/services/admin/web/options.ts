import type { Database } from "../../../database/index.ts";
import type { Html } from "../../../html/index.ts";
import type { PageComponents } from "../../../web/components/index.ts";
import type { Middleware, Request } from "../../../web/index.ts";
import type { Audit } from "../../audit/contract.ts";
import type { AdminTable } from "./table.ts";

/** Audit trail that records changes, and whose newest entries the page of a row shows. */
export interface AuditTrail {
  readonly audit: Pick<Audit, "record" | "search">;
  /** Returns the user of a request: `User.Web.user`. Entries name this user, unless `Audit.Web.middleware` says who acts. */
  readonly user: (request: Request) => Promise<{ readonly id: string } | undefined>;
  /** Path of the pages of the trail, for a link to all entries of a row. Default: no link. */
  readonly path?: string;
}

/** Options of `Admin.router`. */
export interface RouterOptions {
  readonly database: Database;
  /** Tables with pages, in the order of the start page. */
  readonly tables: readonly AdminTable[];
  /** Renders a page with its title. */
  readonly layout: (request: Request, title: string, content: Html) => Html | Promise<Html>;
  /** Middleware that lets only administrators pass: `User.Web.requireAdmin({ loginPath: "/login" })`. */
  readonly guard: Middleware;
  /** Middlewares before the guard. Default `Web.Middleware.site()`. */
  readonly middlewares?: readonly Middleware[];
  /** Components that replace those of `limmat/components`: the module `web/view/components.ts` of a project. */
  readonly components?: Partial<PageComponents>;
  /** Audit trail. Default: changes are not recorded. */
  readonly audit?: AuditTrail;
}
