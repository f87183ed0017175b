import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { Query, type Request, Rest } from "limmat/web";
import * as Label from "../../app/domain/label/label.ts";
import { type Input, type Issue, labelOf, offeredUsers, schema, stateChoices } from "../../app/domain/issue/issue.ts";
import { userContext } from "../middleware/user-context.ts";
import {
  deleteButton,
  emptyState,
  filters,
  type FormFields,
  formOf,
  humanize,
  pager,
  sortLinks,
  table,
  timestamp,
} from "./components.ts";
import { layout } from "./layout.ts";
import { memberLabel } from "./user-label.ts";

export { layout } from "./layout.ts";

type Page = readonly [items: readonly Issue[], total: number];

/** Filters and sort columns of the list. */
export const listRules = {
  filterBy: {
    state: Query.oneOf(...stateChoices),
    assignee_id: Query.nullable(Query.uuid),
    labels: Query.nullable(Query.uuid),
  },
  sortBy: ["created_at", "title"],
};

export async function index(
  request: Request<{ readonly project: string }>,
  csrf: string,
  [items, total]: Page,
  query: Query,
): Promise<Html> {
  const path = Rest.listPath(request);
  const filterOptions = {
    ...listRules,
    path,
    hasOrder: false,
    filters: {
      assignee_id: { label: "Assignee", choices: await usersChoices(request, request.params.project) },
      labels: { label: "Label", choices: await labelsChoices(request, request.params.project) },
    },
  };
  const list = table(items, {
    caption: "Issues",
    columns: [
      { label: "Issue", value: labelOf, sort: "title" },
      { label: "State", name: "state", format: humanize },
      { label: "Assignee", value: (item) => item.assignee && memberLabel(item.assignee) },
      { label: "Labels", value: (item) => item.labels.map(Label.labelOf).join(", ") },
      { label: "Added", name: "created_at", sort: "created_at" },
    ],
    sort: sortLinks(query, path, listRules),
    rowLink: (item) => Rest.itemPath(request, item.id),
    actions: (item) => actions(csrf, Rest.itemPath(request, item.id), item, query),
    empty: emptyState(
      total === 0 && !Query.isFiltered(query)
        ? { title: "No issues yet." }
        : {
            title: "No issues found.",
            action: html`<a href="${path}">Show all issues</a>`,
          },
    ),
  });
  return layout(
    request,
    "Issues",
    html`
<p><a href="${request.prefix}/projects/${request.params.project}">Back to the project</a></p>
<div class="row space-between">
  <h1>Issues</h1>
  <a class="button" href="${path}/new">New issue</a>
</div>
${filters(query, filterOptions)}
<div class="card">${list}</div>
${pager(query, { path, count: items.length, total })}
<p><a href="${path}.csv${Query.toQueryString(query)}">Download as CSV</a></p>`,
  );
}

export function show(request: Request, item: Issue): Html {
  const path = Rest.itemPath(request, item.id);
  return layout(
    request,
    labelOf(item),
    html`
<article class="card">
  <h1>${labelOf(item)}</h1>
  <dl class="facts">
    <div><dt>Title</dt><dd>${item.title}</dd></div>
    <div><dt>Body</dt><dd>${item.body}</dd></div>
    <div><dt>State</dt><dd>${humanize(item.state)}</dd></div>
    <div><dt>Assignee</dt><dd>${item.assignee && memberLabel(item.assignee)}</dd></div>
    <div><dt>Labels</dt><dd>${item.labels.map(Label.labelOf).join(", ")}</dd></div>
    <div><dt>Added</dt><dd>${timestamp(item.created_at)}</dd></div>
    <div><dt>Changed</dt><dd>${timestamp(item.updated_at)}</dd></div>
  </dl>
</article>
<p class="row">
  <a class="button" href="${path}/edit">Edit</a>
  <a class="button secondary" href="${path}/comments">Comments</a>
  <a class="button secondary" href="${path}/attachments">Attachments</a>
  <a href="${Rest.listPath(request)}">Back to the list</a>
</p>`,
  );
}

async function create(request: Request<{ readonly project: string }>, csrf: string, data: Form): Promise<Html> {
  const path = Rest.listPath(request);
  const options = {
    csrf,
    action: path,
    submit: "Add",
    cancel: path,
    fields: await fields(request, request.params.project),
  };
  return layout(
    request,
    "New issue",
    html`
<h1>New issue</h1>
${formOf(schema, data, options)}`,
  );
}

export { create as new };

export async function edit(request: Request, csrf: string, data: Form, item: Issue): Promise<Html> {
  const path = Rest.itemPath(request, item.id);
  const options = {
    csrf,
    action: path,
    method: "put",
    version: item.version,
    submit: "Save",
    cancel: path,
    fields: await fields(request, item.project_id, item),
  } as const;
  return layout(
    request,
    `Edit ${labelOf(item)}`,
    html`
<h1>Edit issue</h1>
${formOf(schema, data, options)}`,
  );
}

const actions = (csrf: string, path: string, item: Issue, query: Query): Html => html`
<a class="button secondary" href="${path}/edit" aria-label="Edit ${labelOf(item)}">Edit</a>
${deleteButton({ csrf, action: path + Query.toQueryString(query), label: labelOf(item) })}`;

async function fields(request: Request, project_id: string, item?: Issue): Promise<FormFields<Input>> {
  return {
    title: { hint: "A sentence, such as: The door of room 3 does not close" },
    body: { label: "Description", rows: 8 },
    assignee_id: { label: "Assignee", choices: await usersChoices(request, project_id, item) },
    label_ids: { label: "Labels", choices: await labelsChoices(request, project_id) },
  };
}

/** Returns the choices of a control: the newest 1,000 labels of the project. */
async function labelsChoices(
  request: Request,
  project_id: string,
): Promise<readonly (readonly [id: string, label: string])[]> {
  const [items] = await Label.search(
    { limit: 1000 },
    { ctx: await userContext(request), params: { project: project_id } },
  );
  return items.map((row) => [row.id, Label.labelOf(row)]);
}

/** Returns the choices of a control: users, with their addresses for those who may see them. */
async function usersChoices(
  request: Request,
  project_id: string,
  item?: Issue,
): Promise<readonly (readonly [id: string, label: string])[]> {
  const users = await offeredUsers(project_id, { ctx: await userContext(request) }, item);
  return users.map((row) => [row.id, memberLabel(row)]);
}
