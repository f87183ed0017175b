import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { Csrf, type Request } from "limmat/web";
import { type Item, totalOf } from "../../app/domain/cart/cart.ts";
import * as Checkout from "../../app/domain/order/checkout.ts";
import { itemTable } from "./cart.ts";
import { form, formOf, hiddenField } from "./components.ts";
import { layout } from "./layout.ts";

export const address = (request: Request, data: Form): Html => {
  const options = { csrf: Csrf.find(request), submit: "Continue", cancel: `${request.prefix}/cart` };
  const fields = { name: { autocomplete: "name" }, zip: { label: "ZIP", autocomplete: "postal-code" } };
  const content = html`<h1>Delivery address</h1> <p class="meta">Step 1 of 2</p>
${formOf(Checkout.address, data, { ...options, fields })}`;
  return layout(request, "Address", content);
};

export const confirmation = (request: Request, delivery: Checkout.Address, items: readonly Item[]): Html => {
  const { name, street, zip, city } = delivery;
  const options = { csrf: Csrf.find(request), action: `${request.prefix}/orders`, submit: "Buy now", className: "" };
  const content = html`<h1>Your order</h1> <p class="meta">Step 2 of 2</p>
${itemTable(items)}
<div class="card">
  <h2>Delivery address</h2>
  <p>${name}<br>${street}<br>${zip} ${city}</p>
  <p><a href="${request.prefix}/checkout">Change the address</a></p>
</div>
${form(options, hiddenField("total", totalOf(items)))}`;
  return layout(request, "Confirmation", content);
};
