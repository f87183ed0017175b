import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { Query, type Request, Rest } from "limmat/web";
import { type Input, labelOf, type Membership, roleChoices, schema } from "../../app/domain/membership/membership.ts";
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

type Page = readonly [items: readonly Membership[], total: number];

/** Filters and sort columns of the list. */
export const listRules = {
  filterBy: {
    member_id: Query.uuid,
    role: Query.oneOf(...roleChoices),
  },
  sortBy: ["created_at"],
};

export async function index(request: Request, csrf: string, [items, total]: Page, query: Query): Promise<Html> {
  const path = Rest.listPath(request);
  const filterOptions = {
    ...listRules,
    path,
    hasOrder: false,
    search: false as const,
    filters: {
      member_id: { label: "Member", choices: await usersChoices() },
    },
  };
  return layout(
    request,
    "Memberships",
    html`
<div class="row space-between">
  <h1>Memberships</h1>
  <a class="button" href="${path}/new">New membership</a>
</div>
${filters(query, filterOptions)}
<div class="card">${list(request, csrf, items, query)}</div>
${pager(query, { path, count: items.length, total })}`,
  );
}

export function show(request: Request, item: Membership): Html {
  const path = Rest.itemPath(request, item.id);
  return layout(
    request,
    labelOf(item),
    html`
<article class="card">
  <h1>${labelOf(item)}</h1>
  <dl class="facts">
    <div><dt>Member</dt><dd>${item.member && userLabel(item.member)}</dd></div>
    <div><dt>Role</dt><dd>${humanize(item.role)}</dd></div>
    <div><dt>Added</dt><dd>${timestamp(item.created_at)}</dd></div>
    <div><dt>Changed</dt><dd>${timestamp(item.updated_at)}</dd></div>
  </dl>
</article>
<p class="row"><a class="button" href="${path}/edit">Edit</a> <a href="${Rest.listPath(request)}">Back to the list</a></p>`,
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
    "New membership",
    html`
<h1>New membership</h1>
${formOf(schema, data, options)}`,
  );
}

export { create as new };

export async function edit(request: Request, csrf: string, data: Form, item: Membership): Promise<Html> {
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
<h1>Edit membership</h1>
${formOf(schema, data, options)}`,
  );
}

const list = (request: Request, csrf: string, items: readonly Membership[], query: Query): Html =>
  table(items, {
    caption: "Memberships",
    columns: [
      { label: "Membership", value: labelOf },
      { label: "Member", value: (item) => item.member && userLabel(item.member) },
      { label: "Role", name: "role", format: humanize },
      { label: "Added", name: "created_at", sort: "created_at" },
    ],
    sort: sortLinks(query, Rest.listPath(request)),
    rowLink: (item) => Rest.itemPath(request, item.id),
    actions: (item) => actions(csrf, Rest.itemPath(request, item.id), item, query),
    empty: emptyState({ title: "No memberships found." }),
  });

const actions = (csrf: string, path: string, item: Membership, query: Query): Html => html`
<a class="button secondary" href="${path}/edit" aria-label="Edit ${labelOf(item)}">Edit</a>
${deleteButton({ csrf, action: path + Query.toQueryString(query), label: labelOf(item) })}`;

async function fields(): Promise<FormFields<Input>> {
  return {
    member_id: { label: "Member", choices: await usersChoices() },
  };
}

/** Returns the choices of a control: the newest 1,000 users. */
async function usersChoices(): Promise<readonly (readonly [id: string, label: string])[]> {
  const [users] = await user.search({ limit: 1000 });
  return users.map((one) => [one.id, userLabel(one)]);
}
