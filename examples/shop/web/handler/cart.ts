import { Flash, type Request, Response, Session } from "limmat/web";
import * as Cart from "../../app/domain/cart/cart.ts";
import * as CartView from "../view/cart.ts";

const stored = Session.field("cart", Cart.schema);

const cartOf = (request: Request): Cart.Cart => stored.find(request) ?? { lines: [] };

/** Returns the products in the cart of the visitor. */
export const itemsOf = (request: Request): Promise<readonly Cart.Item[]> => Cart.itemsOf(cartOf(request));

export const show = async (request: Request): Promise<Response> =>
  Response.html(CartView.page(request, await itemsOf(request)));

export async function change(request: Request): Promise<Response> {
  const { value } = Cart.line.decode(await request.form());
  const response = Response.redirect(`${request.prefix}/cart`);
  if (value === undefined) return Flash.setAlert("Please choose 0 to 99 pieces", response);
  const cart = Cart.put(cartOf(request), value);
  if (cart.lines.length > 20) return Flash.setAlert("The cart is full", response);
  return Session.update([stored.pair(cart)], Flash.setNotice("Cart updated", response));
}
