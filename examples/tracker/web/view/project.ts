import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { Query, type Request, Rest } from "limmat/web";
import { labelOf, type Project, schema } from "../../app/domain/project/project.ts";
import { deleteButton, emptyState, filters, formOf, pager, sortLinks, table, timestamp } from "./components.ts";
import { layout } from "./layout.ts";

export { layout } from "./layout.ts";

type Page = readonly [items: readonly Project[], total: number];

/** Filters and sort columns of the list. */
export const listRules = {
  sortBy: ["created_at", "name"],
};

export function index(
  request: Request<{ readonly team: string }>,
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
    caption: "Projects",
    columns: [
      { label: "Project", value: labelOf, sort: "name" },
      { label: "Added", name: "created_at", sort: "created_at" },
    ],
    sort: sortLinks(query, path, listRules),
    rowLink: (item) => Rest.itemPath(request, item.id),
    actions: (item) => actions(csrf, Rest.itemPath(request, item.id), item, query),
    empty: emptyState(
      total === 0 && !Query.isFiltered(query)
        ? { title: "No projects yet." }
        : {
            title: "No projects found.",
            action: html`<a href="${path}">Show all projects</a>`,
          },
    ),
  });
  return layout(
    request,
    "Projects",
    html`
<p><a href="${request.prefix}/teams/${request.params.team}">Back to the team</a></p>
<div class="row space-between">
  <h1>Projects</h1>
  <a class="button" href="${path}/new">New project</a>
</div>
${filters(query, filterOptions)}
<div class="card">${list}</div>
${pager(query, { path, count: items.length, total })}`,
  );
}

export function show(request: Request, item: Project): Html {
  const path = Rest.itemPath(request, item.id);
  return layout(
    request,
    labelOf(item),
    html`
<article class="card">
  <h1>${labelOf(item)}</h1>
  <dl class="facts">
    <div><dt>Name</dt><dd>${item.name}</dd></div>
    <div><dt>Description</dt><dd>${item.description}</dd></div>
    <div><dt>Added</dt><dd>${timestamp(item.created_at)}</dd></div>
    <div><dt>Changed</dt><dd>${timestamp(item.updated_at)}</dd></div>
  </dl>
</article>
<p class="row">
  <a class="button" href="${path}/edit">Edit</a>
  <a class="button secondary" href="${path}/labels">Labels</a>
  <a class="button secondary" href="${path}/issues">Issues</a>
  <a class="button secondary" href="${path}/activities">Activities</a>
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
    "New project",
    html`
<h1>New project</h1>
${formOf(schema, data, options)}`,
  );
}

export { create as new };

export function edit(request: Request, csrf: string, data: Form, item: Project): Html {
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
<h1>Edit project</h1>
${formOf(schema, data, options)}`,
  );
}

const actions = (csrf: string, path: string, item: Project, query: Query): Html => html`
<a class="button secondary" href="${path}/edit" aria-label="Edit ${labelOf(item)}">Edit</a>
${deleteButton({ csrf, action: path + Query.toQueryString(query), label: labelOf(item) })}`;
