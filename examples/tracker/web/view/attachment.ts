import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { Query, type Request, Rest } from "limmat/web";
import { type Attachment, labelOf } from "../../app/domain/attachment/attachment.ts";
import {
  deleteButton,
  emptyState,
  fileField,
  filters,
  form,
  pager,
  sortLinks,
  table,
  timestamp,
} from "./components.ts";
import { layout } from "./layout.ts";

type Page = readonly [items: readonly Attachment[], total: number];

/** Filters and sort columns of the list. */
export const listRules = {
  sortBy: ["created_at", "name", "size"],
};

export function index(
  request: Request<{ readonly issue: string }>,
  csrf: string,
  [items, total]: Page,
  query: Query,
): Html {
  const path = Rest.listPath(request);
  const filterOptions = {
    ...listRules,
    path,
    hasOrder: false,
  };
  const list = table(items, {
    caption: "Attachments",
    columns: [
      { label: "Attachment", value: labelOf, sort: "name" },
      { label: "Size", name: "size", sort: "size" },
      { label: "Added", name: "created_at", sort: "created_at" },
    ],
    sort: sortLinks(query, path, listRules),
    rowLink: (item) => Rest.itemPath(request, item.id),
    actions: (item) => actions(csrf, Rest.itemPath(request, item.id), item, query),
    empty: emptyState(
      total === 0 && !Query.isFiltered(query)
        ? { title: "No attachments yet." }
        : {
            title: "No attachments found.",
            action: html`<a href="${path}">Show all attachments</a>`,
          },
    ),
  });
  return layout(
    request,
    "Attachments",
    html`
<p><a href="${request.prefix}/issues/${request.params.issue}">Back to the issue</a></p>
<div class="row space-between">
  <h1>Attachments</h1>
  <a class="button" href="${path}/new">New attachment</a>
</div>
${filters(query, filterOptions)}
<div class="card">${list}</div>
${pager(query, { path, count: items.length, total })}`,
  );
}

export function show(request: Request, item: Attachment): Html {
  const path = Rest.itemPath(request, item.id);
  return layout(
    request,
    labelOf(item),
    html`
<article class="card">
  <h1>${labelOf(item)}</h1>
  <dl class="facts">
    <div><dt>Name</dt><dd>${item.name}</dd></div>
    <div><dt>Size</dt><dd>${item.size}</dd></div>
    <div><dt>File</dt><dd><a href="${path}/file">Download</a></dd></div>
    <div><dt>Added</dt><dd>${timestamp(item.created_at)}</dd></div>
    <div><dt>Changed</dt><dd>${timestamp(item.updated_at)}</dd></div>
  </dl>
</article>
<p class="row">
  <a href="${Rest.listPath(request)}">Back to the list</a>
</p>`,
  );
}

function create(request: Request<{ readonly issue: string }>, csrf: string, data: Form): Html {
  const path = `${request.prefix}/issues/${request.params.issue}/attachments`;
  const options = {
    csrf,
    action: path,
    submit: "Add",
    cancel: path,
    isMultipart: true,
  };
  return layout(
    request,
    "New attachment",
    html`
<h1>New attachment</h1>
${form(options, fileField(data, "file", { isRequired: true }))}`,
  );
}

export { create as new };

const actions = (csrf: string, path: string, item: Attachment, query: Query): Html => html`
<a class="button secondary" href="${path}/file" aria-label="Download ${labelOf(item)}">Download</a>
${deleteButton({ csrf, action: path + Query.toQueryString(query), label: labelOf(item) })}`;
