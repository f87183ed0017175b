import { html, type Html } from "limmat/html";
import { Csrf, Query, type Request } from "limmat/web";
import { money } from "../../app/domain/money.ts";
import * as OrderLine from "../../app/domain/order-line/order-line.ts";
import { type Input, labelOf, type Order, schema, stateChoices } from "../../app/domain/order/order.ts";
import { employeeRole } from "../middleware/require-employee.ts";
import { userContext } from "../middleware/user-context.ts";
import { lineColumns } from "./cart.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";

export { layout } from "./layout.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  filterBy: {
    state: Query.oneOf(...stateChoices),
  },
  sortBy: ["created_at", "name", "street", "zip", "city"],
};

const pages: components.ResourcePages<Order, Input> = {
  texts: {
    one: "order",
    many: "orders",
    fields: { zip: "ZIP" },
  },
  labelOf,
  schema,
  layout,
  components,
  only: ["index", "show"],
  ...listRules,
};

const total = { name: "total", format: money } as const;

export const index = components.listPage(pages, {
  columns: [{ label: "Order", value: labelOf }, "name", "city", "state", "created_at", total],
  after: staffLinks,
});

export const show = components.itemPage(pages, {
  facts: ["name", "street", "zip", "city", "state", total, "created_at"],
  after: linesOf,
});

async function staffLinks(request: Request): Promise<Html | undefined> {
  if ((await employeeRole(request)) !== "manager") return undefined;
  const { prefix } = request;
  return html`<p class="row"><a href="${prefix}/staff/products">Change products</a> <a href="${prefix}/staff/orders.csv">Orders as CSV</a></p>`;
}

/** Renders the lines of an order, and the next step. */
async function linesOf(request: Request, { id, state }: Order): Promise<Html> {
  const options = { ctx: await userContext(request), params: { order: id } };
  const [lines] = await OrderLine.search({ limit: 100, sort: "asc" }, options);
  const path = `${request.prefix}/orders/${id}`;
  const ship = { csrf: Csrf.find(request), action: `${path}/shipped`, text: "Mark as shipped" };
  return html`<div class="card">${components.table(lines, { caption: "Products", columns: lineColumns })}</div>
${state === "open" && html`<p><a class="button" href="${path}/payment">Pay</a></p>`}
${state === "paid" && (await employeeRole(request)) !== undefined && components.actionButton(ship)}`;
}
