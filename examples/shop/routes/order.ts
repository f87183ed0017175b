import { User, Web } from "limmat";
import * as Order from "../app/domain/order/order.ts";
import { userContext } from "../web/middleware/user-context.ts";
import * as OrderView from "../web/view/order.ts";

/** Pages of the orders. */
export const orders = Web.choose(
  Web.Rest.resourceOfService({
    name: "orders",
    only: ["index", "show"],
    schema: Order.schema,
    view: OrderView,
    service: Order,
    ...OrderView.listRules,
    ctx: userContext,
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" })] },
);
