import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { Query, type Request, Rest } from "limmat/web";
import * as Label from "../../app/domain/label/label.ts";
import { type Input, type Issue, labelOf, schema, stateChoices } from "../../app/domain/issue/issue.ts";
import { personName as userLabel } from "../../app/domain/membership/person.ts";
import { user } from "../../service/service.ts";
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

export async function index(request: Request, csrf: string, [items, total]: Page, query: Query): Promise<Html> {
  const path = Rest.listPath(request);
  const filterOptions = {
    ...listRules,
    path,
    hasOrder: false,
    filters: {
      assignee_id: { label: "Assignee", choices: await usersChoices() },
      labels: { label: "Label", choices: await labelsChoices() },
    },
  };
  return layout(
    request,
    "Issues",
    html`
<div class="row space-between">
  <h1>Issues</h1>
  <a class="button" href="${path}/new">New issue</a>
</div>
${filters(query, filterOptions)}
<div class="card">${list(request, csrf, items, query)}</div>
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
    <div><dt>Assignee</dt><dd>${item.assignee && userLabel(item.assignee)}</dd></div>
    <div><dt>Labels</dt><dd>${item.labels.map(Label.labelOf).join(", ")}</dd></div>
    <div><dt>Added</dt><dd>${timestamp(item.created_at)}</dd></div>
    <div><dt>Changed</dt><dd>${timestamp(item.updated_at)}</dd></div>
  </dl>
</article>
<p class="row">
  <a class="button" href="${path}/comments">Comments</a> <a class="button" href="${path}/attachments">Attachments</a>
  <a class="button" href="${path}/edit">Edit</a> <a href="${Rest.listPath(request)}">Back to the list</a></p>`,
  );
}

async function create(request: Request, csrf: string, data: Form): Promise<Html> {
  const path = Rest.listPath(request);
  const options = {
    csrf,
    action: path,
    submit: "Add",
    cancel: path,
    fields: await fields(),
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
    fields: await fields(),
  } as const;
  return layout(
    request,
    `Edit ${labelOf(item)}`,
    html`
<h1>Edit issue</h1>
${formOf(schema, data, options)}`,
  );
}

const list = (request: Request, csrf: string, items: readonly Issue[], query: Query): Html =>
  table(items, {
    caption: "Issues",
    columns: [
      { label: "Issue", value: labelOf, sort: "title" },
      { label: "State", name: "state", format: humanize },
      { label: "Assignee", value: (item) => item.assignee && userLabel(item.assignee) },
      { label: "Labels", value: (item) => item.labels.map(Label.labelOf).join(", ") },
      { label: "Added", name: "created_at", sort: "created_at" },
    ],
    sort: sortLinks(query, Rest.listPath(request)),
    rowLink: (item) => Rest.itemPath(request, item.id),
    actions: (item) => actions(csrf, Rest.itemPath(request, item.id), item, query),
    empty: emptyState({ title: "No issues found." }),
  });

const actions = (csrf: string, path: string, item: Issue, query: Query): Html => html`
<a class="button secondary" href="${path}/edit" aria-label="Edit ${labelOf(item)}">Edit</a>
${deleteButton({ csrf, action: path + Query.toQueryString(query), label: labelOf(item) })}`;

async function fields(): Promise<FormFields<Input>> {
  return {
    assignee_id: { label: "Assignee", choices: await usersChoices() },
    label_ids: { label: "Labels", choices: await labelsChoices() },
  };
}

/** Returns the choices of a control: the newest 1,000 labels. */
async function labelsChoices(): Promise<readonly (readonly [id: string, label: string])[]> {
  const [items] = await Label.search({ limit: 1000 });
  return items.map((item) => [item.id, Label.labelOf(item)]);
}

/** Returns the choices of a control: the newest 1,000 users. */
async function usersChoices(): Promise<readonly (readonly [id: string, label: string])[]> {
  const [users] = await user.search({ limit: 1000 });
  return users.map((one) => [one.id, userLabel(one)]);
}
