import { html, type Html } from "limmat/html";
import { type Request, Rest } from "limmat/web";
import { money } from "../../app/domain/money.ts";
import type { Product } from "../../app/domain/product/product.ts";
import { pieces } from "./cart.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";
import { pages } from "./product.ts";
import { pictureImage } from "./product-picture.ts";

const availability = ({ stock }: Product): string => (stock === 0 ? "Sold out" : `${stock} in stock`);

const catalogue = { ...pages, only: ["index", "show"] } as const;

export const index = components.listPage(catalogue, {
  card: (product, request) => html`${pictureImage(request, product)}
<h2><a href="${Rest.itemPath(request, product.id)}">${product.name}</a></h2>
<p class="row space-between"><strong>${money(product.price)}</strong> <span class="meta">${availability(product)}</span></p>`,
  pageSizes: [],
});

export function show(request: Request, product: Product): Html {
  const content = html`<article class="card">
  ${pictureImage(request, product)}
  <h1>${product.name}</h1>
  <p class="meta">${components.humanize(product.category)} · ${availability(product)}</p>
  <p>${product.description}</p>
  <p><strong>${money(product.price)}</strong></p>
  ${product.stock > 0 && pieces(request, product.id, 1, "Add to cart")}
</article>
<p><a href="${Rest.listPath(request)}">All products</a></p>`;
  return layout(request, product.name, content);
}
