import { choose, get, Middleware, Response, Rest, type Router } from "../../../web/index.ts";
import { errors } from "../errors.ts";
import { makeService } from "./changes.ts";
import type { RouterOptions } from "./options.ts";
import { makeAdminPages } from "./pages.ts";
import { currentRequest, showTables } from "./shown-table.ts";

/**
 * Creates pages for administrators below `/admin`: the tables, and for each its list with filters, its rows, and forms to change
 * and delete them. Whoever passes the guard sees and changes all rows, unless a table has a policy. Rows are not created.
 *
 * @throws E_ADMIN_GUARD without a guard, E_ADMIN_TABLE, E_TABLE for a table that `Table.make` did not create
 * @example
 * Admin.router({ database, layout, tables: [Admin.users(), issueAdmin], guard: User.Web.requireAdmin({ loginPath: "/login" }) });
 */
export function adminRouter(options: RouterOptions): Router {
  const { guard, database, audit, middlewares = Middleware.site() } = options;
  // Also for callers without types: the pages would be open.
  if (typeof guard !== "function") throw errors.E_ADMIN_GUARD();
  const tables = showTables(options.tables);
  const pages = makeAdminPages(tables, options);
  const resources = [...tables.values()].map((table) => {
    const { name, schema, actions, filterBy, sortBy } = table;
    const { texts, policy } = table.options;
    return Rest.resourceOfService({
      name,
      routeName: `admin.${name}`,
      only: actions,
      schema,
      texts,
      filterBy,
      sortBy,
      view: pages.viewOf(table),
      service: makeService(table, tables, database, audit),
      ...(policy === undefined ? {} : { policy }),
    });
  });
  const start = get("/", async (request) => Response.html(await pages.start(request)), { name: "admin" });
  const provideRequest: Middleware = (handler) => (request) => currentRequest.run(request, () => handler(request));
  Object.defineProperty(provideRequest, "name", { value: "admin" });
  return choose([start, ...resources.flat()], {
    scope: "/admin",
    middlewares: [...middlewares, guard, provideRequest],
  });
}
