import { html, type Html } from "limmat/html";
import { Form, type Form as FormData } from "limmat/schema";
import { Query, type Request } from "limmat/web";
import type { Todo } from "../../app/domain/todo/entity.ts";
import { layout } from "./layout.ts";

const pageSizes = [10, 25, 50, 100];

export const index = (
  request: Request,
  csrf: string,
  [todos, total]: readonly [readonly Todo[], number],
  query: Query,
): Html =>
  layout(
    request,
    "All",
    html`<h1>To-dos</h1>
      ${searchForm(query)}
      <div class="card">
        ${
          todos.length === 0
            ? html`<p class="empty">
                ${query.filter === undefined ? "No to-dos yet." : "No to-do matches the search."}
              </p>`
            : html`<ul class="todos">
                ${todos.map((todo) => todoItem(csrf, todo, query))}
              </ul>`
        }
      </div>
      ${paging(query, todos.length, total)}`,
  );

export const show = (request: Request, todo: Todo): Html =>
  layout(
    request,
    todo.title,
    html`<article class="card">
        <h1>${todo.title}</h1>
        <p class="meta">${status(todo)} · added ${date(todo.created_at)} · changed ${date(todo.updated_at)}</p>
        ${todo.notes === "" ? undefined : html`<p class="notes">${todo.notes}</p>`}
      </article>
      <p class="row">
        <a class="button" href="/todos/${todo.id}/edit">Edit</a> <a href="/todos">Back to the list</a>
      </p>`,
  );

const create = (request: Request, csrf: string, form: FormData): Html =>
  layout(
    request,
    "New",
    html`<h1>New to-do</h1>
      ${fields(csrf, form, { action: "/todos", method: "post", submit: "Add", cancel: "/todos" })}`,
  );

export { create as new };

export const edit = (request: Request, csrf: string, form: FormData, todo: Todo): Html => {
  const path = `/todos/${todo.id}`;
  return layout(
    request,
    `Edit ${todo.title}`,
    html`<h1>Edit to-do</h1>
      ${fields(csrf, form, { action: path, method: "put", submit: "Save", cancel: path })}`,
  );
};

const searchForm = (query: Query): Html =>
  html`<form class="card search" role="search" action="/todos">
    <div class="wide">
      <label for="filter">Search</label>
      <input id="filter" type="search" name="filter" maxlength="256" value="${query.filter}" />
    </div>
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

const todoItem = (csrf: string, todo: Todo, query: Query): Html =>
  html`<li class="${todo.done ? "is-done" : ""}">
    <div>
      <a class="title" href="/todos/${todo.id}">${todo.title}</a>
      <div class="meta">${status(todo)} · ${date(todo.created_at)}</div>
    </div>
    <div class="row">
      <a class="button secondary" href="/todos/${todo.id}/edit" aria-label="Edit ${todo.title}">Edit</a>
      <form method="post" action="/todos/${todo.id}${Query.toQueryString(query)}">
        <input type="hidden" name="csrf" value="${csrf}" />
        <input type="hidden" name="_method" value="delete" />
        <button class="danger" aria-label="Delete ${todo.title}">Delete</button>
      </form>
    </div>
  </li>`;

const paging = (query: Query, count: number, total: number): Html => {
  const offset = query.offset ?? 0;
  const link = (label: string, target: Query | undefined): Html | undefined =>
    target === undefined
      ? undefined
      : html`<a class="button secondary" href="/todos${Query.toQueryString(target)}">${label}</a>`;
  return html`<nav class="row space-between" aria-label="Pages">
    <span class="meta">${count === 0 ? `0 of ${total}` : `${offset + 1} to ${offset + count} of ${total}`}</span>
    <span class="row">
      ${link("First", Query.firstPage(query))} ${link("Previous", Query.previousPage(query))}
      ${link("Next", Query.nextPage(query, total))} ${link("Last", Query.lastPage(query, total))}
    </span>
  </nav>`;
};

interface FormOptions {
  readonly action: string;
  readonly method: "post" | "put";
  readonly submit: string;
  readonly cancel: string;
}

const fields = (csrf: string, form: FormData, options: FormOptions): Html => {
  const [title, titleError] = Form.find(form, "title");
  const [notes, notesError] = Form.find(form, "notes");
  const [done] = Form.find(form, "done");
  return html`<form class="card" method="post" action="${options.action}" novalidate>
    <input type="hidden" name="csrf" value="${csrf}" />
    ${options.method === "post" ? undefined : html`<input type="hidden" name="_method" value="${options.method}" />`}
    <div class="field">
      <label for="title">Title</label>
      <input
        id="title"
        type="text"
        name="title"
        value="${title}"
        ?required=${true}
        ?autofocus=${titleError !== undefined}
        aria-invalid="${titleError !== undefined}"
        aria-describedby="title-error"
      />
      ${errorText("title", titleError)}
    </div>
    <div class="field">
      <label for="notes">Notes</label>
      <textarea id="notes" name="notes" aria-invalid="${notesError !== undefined}" aria-describedby="notes-error">
${notes}</textarea>
      ${errorText("notes", notesError)}
    </div>
    <div class="field check">
      <input id="done" type="checkbox" name="done" value="true" ?checked=${done === "true"} />
      <label for="done">Done</label>
    </div>
    <div class="row">
      <button>${options.submit}</button>
      <a class="button secondary" href="${options.cancel}">Cancel</a>
    </div>
  </form>`;
};

const errorText = (name: string, text: string | undefined): Html =>
  html`<p class="error" id="${name}-error">${text}</p>`;

const status = (todo: Todo): Html => (todo.done ? html`<span class="badge">Done</span>` : html`Open`);

const date = (value: Date): Html =>
  html`<time datetime="${value.toISOString()}">${value.toISOString().slice(0, 10)}</time>`;
