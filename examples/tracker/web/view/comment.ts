import { User } from "limmat";
import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { Query, type Request, Rest } from "limmat/web";
import { changeableIds, type Comment, labelOf, schema } from "../../app/domain/comment/comment.ts";
import { userContext } from "../middleware/user-context.ts";
import { deleteButton, emptyState, filters, formOf, pager, sortLinks, table, timestamp } from "./components.ts";
import { layout } from "./layout.ts";
import { memberLabel } from "./user-label.ts";

export { layout } from "./layout.ts";

type Page = readonly [items: readonly Comment[], total: number];

/** Filters and sort columns of the list. */
export const listRules = {
  sortBy: ["created_at"],
};

export async function index(
  request: Request<{ readonly issue: string }>,
  csrf: string,
  [items, total]: Page,
  query: Query,
): Promise<Html> {
  const path = Rest.listPath(request);
  const viewer = await User.Web.userOrThrow(request);
  const changeable = await changeableIds(items, viewer.id, { ctx: await userContext(request) });
  const filterOptions = {
    ...listRules,
    path,
    hasOrder: false,
  };
  const list = table(items, {
    caption: "Comments",
    columns: [
      { label: "Comment", value: labelOf },
      { label: "Author", value: (item) => memberLabel(item.owner) },
      { label: "Added", name: "created_at", sort: "created_at" },
    ],
    sort: sortLinks(query, path, listRules),
    rowLink: (item) => Rest.itemPath(request, item.id),
    actions: (item) => changeable.has(item.id) && actions(csrf, Rest.itemPath(request, item.id), item, query),
    empty: emptyState(
      total === 0 && !Query.isFiltered(query)
        ? { title: "No comments yet." }
        : {
            title: "No comments found.",
            action: html`<a href="${path}">Show all comments</a>`,
          },
    ),
  });
  return layout(
    request,
    "Comments",
    html`
<p><a href="${request.prefix}/issues/${request.params.issue}">Back to the issue</a></p>
<div class="row space-between">
  <h1>Comments</h1>
  <a class="button" href="${path}/new">New comment</a>
</div>
${filters(query, filterOptions)}
<div class="card">${list}</div>
${pager(query, { path, count: items.length, total })}`,
  );
}

export async function show(request: Request, item: Comment): Promise<Html> {
  const path = Rest.itemPath(request, item.id);
  const viewer = await User.Web.userOrThrow(request);
  const changeable = await changeableIds([item], viewer.id, { ctx: await userContext(request) });
  return layout(
    request,
    labelOf(item),
    html`
<article class="card">
  <h1>${labelOf(item)}</h1>
  <dl class="facts">
    <div><dt>Text</dt><dd>${item.text}</dd></div>
    <div><dt>Author</dt><dd>${memberLabel(item.owner)}</dd></div>
    <div><dt>Added</dt><dd>${timestamp(item.created_at)}</dd></div>
    <div><dt>Changed</dt><dd>${timestamp(item.updated_at)}</dd></div>
  </dl>
</article>
<p class="row">
  ${changeable.has(item.id) && html`<a class="button" href="${path}/edit">Edit</a>`}
  <a href="${Rest.listPath(request)}">Back to the list</a>
</p>`,
  );
}

function create(request: Request, csrf: string, data: Form): Html {
  const path = Rest.listPath(request);
  const options = {
    csrf,
    action: path,
    submit: "Add",
    cancel: path,
  };
  return layout(
    request,
    "New comment",
    html`
<h1>New comment</h1>
${formOf(schema, data, options)}`,
  );
}

export { create as new };

export function edit(request: Request, csrf: string, data: Form, item: Comment): Html {
  const path = Rest.itemPath(request, item.id);
  const options = {
    csrf,
    action: path,
    method: "put",
    version: item.version,
    submit: "Save",
    cancel: path,
  } as const;
  return layout(
    request,
    `Edit ${labelOf(item)}`,
    html`
<h1>Edit comment</h1>
${formOf(schema, data, options)}`,
  );
}

const actions = (csrf: string, path: string, item: Comment, query: Query): Html => html`
<a class="button secondary" href="${path}/edit" aria-label="Edit ${labelOf(item)}">Edit</a>
${deleteButton({ csrf, action: path + Query.toQueryString(query), label: labelOf(item) })}`;
