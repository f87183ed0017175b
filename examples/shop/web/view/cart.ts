import { html, type Html } from "limmat/html";
import { Csrf, type Request } from "limmat/web";
import { type Item, totalOf } from "../../app/domain/cart/cart.ts";
import { money } from "../../app/domain/money.ts";
import { emptyState, hiddenField, table } from "./components.ts";
import { layout } from "./layout.ts";

/** Columns that a cart and an order have in common. */
export const lineColumns = [
  { name: "name", label: "Product" },
  { name: "price", format: money, isNumeric: true },
  { name: "count", label: "Pieces" },
] as const;

const columns = [...lineColumns, { name: "amount", format: money, isNumeric: true }] as const;

/** Renders the items of a cart, and their total. */
export const itemTable = (items: readonly Item[], actions?: (item: Item) => Html): Html =>
  html`<div class="card">${table(items, { caption: "Cart", columns, actions })}
<p class="row space-between"><strong>Total</strong> <strong>${money(totalOf(items))}</strong></p></div>`;

/** Renders a form that sets the number of pieces. */
export const pieces = (request: Request, product: string, count: number, label: string): Html => html`
<form class="row" method="post" action="${request.prefix}/cart">
  ${hiddenField("csrf", Csrf.find(request))} ${hiddenField("product", product)}
  <input type="number" name="count" value="${count}" min="0" max="99" aria-label="Pieces" required>
  <button>${label}</button>
</form>`;

export function page(request: Request, items: readonly Item[]): Html {
  const catalogue = html`<a href="${request.prefix}/products">All products</a>`;
  const change = ({ id, count }: Item): Html => pieces(request, id, count, "Change");
  const content = html`${itemTable(items, change)}
<p class="row"><a class="button" href="${request.prefix}/checkout">Check out</a> ${catalogue}</p>`;
  const isEmpty = items.length === 0;
  const empty = emptyState({ title: "The cart is empty", action: catalogue });
  return layout(request, "Cart", html`<h1>Cart</h1> ${isEmpty ? empty : content}`);
}
