import { html, type Html } from "limmat/html";
import { type Query, type Request, Rest } from "limmat/web";
import { money } from "../../app/domain/money.ts";
import type { Product } from "../../app/domain/product/product.ts";
import { pieces } from "./cart.ts";
import { emptyState, filters, humanize, pager } from "./components.ts";
import { layout } from "./layout.ts";
import { listRules } from "./product.ts";

const picture = (request: Request, { id, name, picture: file }: Product): Html | undefined =>
  file === undefined
    ? undefined
    : html`<img src="${Rest.itemPath(request, id)}/picture" alt="${name}" width="480" height="360">`;

const availability = ({ stock }: Product): string => (stock === 0 ? "Sold out" : `${stock} in stock`);

type Page = readonly [items: readonly Product[], total: number | undefined];

export function index(request: Request, _: string, [products, total]: Page, query: Query): Html {
  const path = Rest.listPath(request);
  const tile = (product: Product): Html => html`<div class="card">
  ${picture(request, product)}
  <h2><a href="${Rest.itemPath(request, product.id)}">${product.name}</a></h2>
  <p class="row space-between"><strong>${money(product.price)}</strong> <span class="meta">${availability(product)}</span></p>
</div>`;
  const content = html`<h1>Products</h1> ${filters(query, { path, ...listRules, pageSizes: [] })}
${products.length === 0 ? emptyState({ title: "No products found" }) : html`<div class="grid">${products.map(tile)}</div>`}
${pager(query, { path, count: products.length, total })}`;
  return layout(request, "Products", content);
}

export function show(request: Request, product: Product): Html {
  const content = html`<article class="card">
  ${picture(request, product)}
  <h1>${product.name}</h1>
  <p class="meta">${humanize(product.category)} · ${availability(product)}</p>
  <p>${product.description}</p>
  <p><strong>${money(product.price)}</strong></p>
  ${product.stock > 0 && pieces(request, product.id, 1, "Add to cart")}
</article>
<p><a href="${Rest.listPath(request)}">All products</a></p>`;
  return layout(request, product.name, content);
}
