// Who may do what with order lines.
import { Policy } from "limmat/policy";
import * as Order from "../order/policy.ts";
import { orderLines } from "./repository.ts";

export const policy = Policy.make(orderLines, (is) => ({
  see: is.related.order(Order.policy.rules.see),
  change: is.related.order(Order.policy.rules.administer),
  administer: is.related.order(Order.policy.rules.administer),
}));
