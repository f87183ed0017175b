import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { type Cursors, Query, type Request } from "limmat/web";
import { type Note, schema } from "../../app/domain/note/entity.ts";
import { deleteButton, emptyState, filters, formOf, pager, timestamp } from "./components.ts";
import { layout } from "./layout.ts";

const path = "/notes";
const fields = { body: { label: "Note" } };

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
      ${filters(query, { path, hasOrder: false, pageSizes: [] })}
      <div class="card">
        ${
          notes.length === 0
            ? emptyState({ title: query.filter === undefined ? "No notes yet." : "No note matches the search." })
            : html`<ul class="list">
                ${notes.map((note) => noteItem(csrf, note, query))}
              </ul>`
        }
      </div>
      ${pager(query, { path, count: notes.length, total, cursors })}`,
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

const create = (request: Request, csrf: string, data: Form): Html =>
  layout(
    request,
    "New",
    html`<h1>New note</h1>
      ${formOf(schema, data, { csrf, action: path, submit: "Add", cancel: path, fields })}`,
    true,
  );

export { create as new };

export const edit = (request: Request, csrf: string, data: Form, note: Note): Html => {
  const itemPath = `${path}/${note.id}`;
  return layout(
    request,
    `Edit ${note.title}`,
    html`<h1>Edit note</h1>
      ${formOf(schema, data, { csrf, action: itemPath, method: "put", submit: "Save", cancel: itemPath, fields })}`,
    true,
  );
};

const noteItem = (csrf: string, note: Note, query: Query): Html =>
  html`<li>
    <div>
      <a class="title" href="/notes/${note.id}">${note.title}</a>
      <div class="meta">${timestamp(note.created_at)}</div>
    </div>
    ${deleteButton({ csrf, action: `${path}/${note.id}${Query.toQueryString(query)}`, label: note.title })}
  </li>`;
