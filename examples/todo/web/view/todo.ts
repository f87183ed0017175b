import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { Query, type Request } from "limmat/web";
import { schema, type Todo } from "../../app/domain/todo/entity.ts";
import { deleteButton, emptyState, filters, formOf, pager } from "./components.ts";
import { layout } from "./layout.ts";

const path = "/todos";

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
      ${filters(query, { path })}
      <div class="card">
        ${
          todos.length === 0
            ? emptyState({ title: query.filter === undefined ? "No to-dos yet." : "No to-do matches the search." })
            : html`<ul class="todos">
                ${todos.map((todo) => todoItem(csrf, todo, query))}
              </ul>`
        }
      </div>
      ${pager(query, { path, count: todos.length, total })}`,
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

const create = (request: Request, csrf: string, data: Form): Html =>
  layout(
    request,
    "New",
    html`<h1>New to-do</h1>
      ${formOf(schema, data, { csrf, action: path, submit: "Add", cancel: path })}`,
  );

export { create as new };

export const edit = (request: Request, csrf: string, data: Form, todo: Todo): Html => {
  const itemPath = `${path}/${todo.id}`;
  return layout(
    request,
    `Edit ${todo.title}`,
    html`<h1>Edit to-do</h1>
      ${formOf(schema, data, { csrf, action: itemPath, method: "put", submit: "Save", cancel: itemPath })}`,
  );
};

const todoItem = (csrf: string, todo: Todo, query: Query): Html =>
  html`<li class="${todo.done ? "is-done" : ""}">
    <div>
      <a class="title" href="/todos/${todo.id}">${todo.title}</a>
      <div class="meta">${status(todo)} · ${date(todo.created_at)}</div>
    </div>
    <div class="row">
      <a class="button secondary" href="/todos/${todo.id}/edit" aria-label="Edit ${todo.title}">Edit</a>
      ${deleteButton({ csrf, action: `${path}/${todo.id}${Query.toQueryString(query)}`, label: todo.title })}
    </div>
  </li>`;

const status = (todo: Todo): Html => (todo.done ? html`<span class="badge">Done</span>` : html`Open`);

const date = (value: Date): Html =>
  html`<time datetime="${value.toISOString()}">${value.toISOString().slice(0, 10)}</time>`;
