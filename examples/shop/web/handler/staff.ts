import { failure, Flash, Query, type Request, Response } from "limmat/web";
import * as Order from "../../app/domain/order/order.ts";
import { userContext } from "../middleware/user-context.ts";
import { csv } from "../view/components.ts";
import { listRules } from "../view/order.ts";

/** Marks a paid order as shipped. */
export async function ship(request: Request<{ readonly id: string }>): Promise<Response> {
  const options = { ctx: await userContext(request) };
  const order = await Order.find(request.params.id, options);
  if (order?.state !== "paid") throw failure(409);
  const { id, version, name, street, zip, city, total } = order;
  await Order.update(id, { name, street, zip, city, total, state: "shipped" }, { ...options, version });
  return Flash.setNotice("The order is shipped", Response.redirect(`${request.prefix}/orders/${id}`));
}

/** Sends the newest 1,000 orders of a list as a CSV file. */
export async function download(request: Request): Promise<Response> {
  const query = { ...Query.ofRequest(request, listRules), limit: 1000 };
  const [orders] = await Order.search(query, { ctx: await userContext(request) });
  return csv(orders, ["id", "created_at", "state", "total", "name", "street", "zip", "city"], {
    filename: "orders.csv",
  });
}
