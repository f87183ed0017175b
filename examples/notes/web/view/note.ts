import { html, type Html } from "limmat/html";
import type { Form as FormData } from "limmat/schema";
import { type Cursors, Query, type Request } from "limmat/web";
import type { Note } from "../../app/domain/note/entity.ts";
import { textareaField, inputField } from "./field.ts";
import { layout } from "./layout.ts";

export const index = (
  request: Request,
  csrf: string,
  [notes, total]: readonly [readonly Note[], number],
  query: Query,
  cursors: Cursors | undefined,
): Html =>
  layout(
    request,
    "All",
    html`<h1>Your notes</h1>
      <form class="card row" role="search" action="/notes">
        <label for="filter">Search</label>
        <input id="filter" type="search" name="filter" maxlength="256" value="${query.filter}" />
        <button class="secondary">Search</button>
      </form>
      <div class="card">
        ${
          notes.length === 0
            ? html`<p class="empty">${query.filter === undefined ? "No notes yet." : "No note matches the search."}</p>`
            : html`<ul class="list">
                ${notes.map((note) => noteItem(csrf, note, query))}
              </ul>`
        }
      </div>
      ${paging(query, notes.length, total, cursors)}`,
    true,
  );

export const show = (request: Request, note: Note): Html =>
  layout(
    request,
    note.title,
    html`<article class="card">
        <h1>${note.title}</h1>
        <p class="meta">Changed ${timestamp(note.updated_at)}</p>
        <p class="note-body">${note.body}</p>
      </article>
      <p class="row">
        <a class="button" href="/notes/${note.id}/edit">Edit</a> <a href="/notes">Back to the list</a>
      </p>`,
    true,
  );

const create = (request: Request, csrf: string, form: FormData): Html =>
  layout(
    request,
    "New",
    html`<h1>New note</h1>
      ${fields(csrf, form, { action: "/notes", submit: "Add", cancel: "/notes" })}`,
    true,
  );

export { create as new };

export const edit = (request: Request, csrf: string, form: FormData, note: Note): Html => {
  const path = `/notes/${note.id}`;
  return layout(
    request,
    `Edit ${note.title}`,
    html`<h1>Edit note</h1>
      ${fields(csrf, form, { action: path, method: "put", submit: "Save", cancel: path })}`,
    true,
  );
};

const noteItem = (csrf: string, note: Note, query: Query): Html =>
  html`<li>
    <div>
      <a class="title" href="/notes/${note.id}">${note.title}</a>
      <div class="meta">${timestamp(note.created_at)}</div>
    </div>
    <form method="post" action="/notes/${note.id}${Query.toQueryString(query)}">
      <input type="hidden" name="csrf" value="${csrf}" />
      <input type="hidden" name="_method" value="delete" />
      <button class="danger" aria-label="Delete ${note.title}">Delete</button>
    </form>
  </li>`;

const paging = (query: Query, count: number, total: number, cursors: Cursors | undefined): Html => {
  const offset = cursors?.offset ?? 0;
  const link = (label: string, target: Query | undefined): Html | undefined =>
    target && html`<a class="button secondary" href="/notes${Query.toQueryString(target)}">${label}</a>`;
  return html`<nav class="row space-between" aria-label="Pages">
    <span class="meta">${count === 0 ? `0 of ${total}` : `${offset + 1} to ${offset + count} of ${total}`}</span>
    <span class="row">
      ${link("Previous", Query.previousPage(query, cursors))} ${link("Next", Query.nextPage(query, total, cursors))}
    </span>
  </nav>`;
};

interface FormOptions {
  readonly action: string;
  readonly method?: "put";
  readonly submit: string;
  readonly cancel: string;
}

const fields = (csrf: string, form: FormData, { action, method, submit, cancel }: FormOptions): Html =>
  html`<form class="card" method="post" action="${action}" novalidate>
    <input type="hidden" name="csrf" value="${csrf}" />
    ${method && html`<input type="hidden" name="_method" value="${method}" />`}
    ${inputField(form, { name: "title", label: "Title" })} ${textareaField(form, { name: "body", label: "Note" })}
    <div class="row">
      <button>${submit}</button>
      <a class="button secondary" href="${cancel}">Cancel</a>
    </div>
  </form>`;

const timestamp = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 16).replace("T", " ")} UTC</time>`;
