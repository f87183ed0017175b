import { User, Web } from "limmat";
import { Policy } from "limmat/policy";
import * as Order from "../app/domain/order/order.ts";
import { policy } from "../app/domain/order/policy.ts";
import { database } from "../service/service.ts";
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
    policy: Policy.access(policy, { database, actor: User.Web.user }),
  }),
  { middlewares: [User.Web.requireUser({ loginPath: "/login" })] },
);
