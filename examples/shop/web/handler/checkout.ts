import { failure, Flash, type Request, Response, Session } from "limmat/web";
import * as Checkout from "../../app/domain/order/checkout.ts";
import * as Order from "../../app/domain/order/order.ts";
import { userContext } from "../middleware/user-context.ts";
import * as CheckoutView from "../view/checkout.ts";
import { itemsOf } from "./cart.ts";

const address = Session.field("address", Checkout.address);

export const show = (request: Request): Response =>
  Response.html(CheckoutView.address(request, Checkout.address.fill(address.find(request))));

export async function setAddress(request: Request): Promise<Response> {
  const { form, value } = Checkout.address.decode(await request.form());
  if (value === undefined) return Response.html(CheckoutView.address(request, form), { status: 422 });
  return Session.update([address.pair(value)], Response.redirect(`${request.prefix}/checkout/confirmation`));
}

export async function confirm(request: Request): Promise<Response> {
  const [delivery, items] = [address.find(request), await itemsOf(request)];
  if (items.length === 0) return Response.redirect(`${request.prefix}/cart`);
  if (delivery === undefined) return Response.redirect(`${request.prefix}/checkout`);
  return Response.html(CheckoutView.confirmation(request, delivery, items));
}

export async function order(request: Request): Promise<Response> {
  const [delivery, items] = [address.find(request), await itemsOf(request)];
  const { total = "" } = Object.fromEntries(await request.form());
  if (delivery === undefined || items.length === 0) return Response.redirect(`${request.prefix}/cart`);
  const placed = await Checkout.place(items, delivery, total, { ctx: await userContext(request) });
  if (!placed.ok) return Flash.setAlert(placed.error, Response.redirect(`${request.prefix}/cart`));
  return Session.forget(["cart"], Response.redirect(`${request.prefix}/orders/${placed.value.id}/payment`));
}

/** Sends the customer to the page of the payment provider. */
export async function pay(request: Request<{ readonly id: string }>): Promise<Response> {
  const { id, total, state } = (await Order.find(request.params.id, { ctx: await userContext(request) })) ?? {};
  if (state !== "open") throw failure(404);
  return Response.redirect(`${request.prefix}/provider?order=${id}&amount=${total}`);
}
