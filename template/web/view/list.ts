import { html, type Html } from "limmat/html";
import { Query } from "limmat/web";

const pageSizes = [10, 25, 50, 100];

/** Renders the form above a list: search text, order and page size. */
export const searchForm = (path: string, query: Query, { hasFilter = true } = {}): Html => html`
<form class="card search" role="search" action="${path}">
  ${hasFilter && filter(query)}
  <div>
    <label for="sort">Order</label>
    <select id="sort" name="sort">
      <option value="desc" ?selected=${query.sort !== "asc"}>Newest first</option>
      <option value="asc" ?selected=${query.sort === "asc"}>Oldest first</option>
    </select>
  </div>
  <div>
    <label for="limit">Per page</label>
    <select id="limit" name="limit">
      ${pageSizes.map((size) => html`<option ?selected=${size === (query.limit ?? 50)}>${size}</option>`)}
    </select>
  </div>
  <button class="secondary">Search</button>
</form>`;

const filter = (query: Query): Html => html`
<div class="wide">
  <label for="filter">Search</label>
  <input id="filter" name="filter" type="search" maxlength="256" value="${query.filter}">
</div>`;

/** Renders the links below a list: the range of the shown items, and the other pages. */
export const pagination = (path: string, query: Query, count: number, total: number): Html => {
  const offset = query.offset ?? 0;
  const link = (label: string, target: Query | undefined): Html | undefined =>
    target && html`<a class="button secondary" href="${path + Query.toQueryString(target)}">${label}</a>`;
  return html`
<nav class="row space-between" aria-label="Pages">
  <span class="meta">${count === 0 ? `0 of ${total}` : `${offset + 1} to ${offset + count} of ${total}`}</span>
  <span class="row">
    ${link("First", Query.firstPage(query))}
    ${link("Previous", Query.previousPage(query))}
    ${link("Next", Query.nextPage(query, total))}
    ${link("Last", Query.lastPage(query, total))}
  </span>
</nav>`;
};

/** Renders a point in time in UTC, to the minute. */
export const timestamp = (time: Date | undefined): Html | undefined =>
  time && html`<time datetime="${time.toISOString()}">${time.toISOString().slice(0, 16).replace("T", " ")} UTC</time>`;
