import { User } from "limmat";
import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { Query, type Request, Rest } from "limmat/web";
import { changeableIds, labelOf, schema, type Team } from "../../app/domain/team/team.ts";
import { userContext } from "../middleware/user-context.ts";
import { deleteButton, emptyState, filters, formOf, pager, sortLinks, table, timestamp } from "./components.ts";
import { layout } from "./layout.ts";
import { pendingMemberships } from "./team-member.ts";

export { layout } from "./layout.ts";

type Page = readonly [items: readonly Team[], total: number];

/** Filters and sort columns of the list. */
export const listRules = {
  sortBy: ["created_at", "name"],
};

export async function index(request: Request, csrf: string, [items, total]: Page, query: Query): Promise<Html> {
  const path = Rest.listPath(request);
  const viewer = await User.Web.userOrThrow(request);
  const changeable = await changeableIds(items, viewer.id, { ctx: await userContext(request) });
  const filterOptions = {
    ...listRules,
    path,
    hasOrder: false,
  };
  const list = table(items, {
    caption: "Teams",
    columns: [
      { label: "Team", value: labelOf, sort: "name" },
      { label: "Added", name: "created_at", sort: "created_at" },
    ],
    sort: sortLinks(query, path, listRules),
    rowLink: (item) => Rest.itemPath(request, item.id),
    actions: (item) => changeable.has(item.id) && actions(csrf, Rest.itemPath(request, item.id), item, query),
    empty: emptyState(
      total === 0 && !Query.isFiltered(query)
        ? { title: "No teams yet." }
        : {
            title: "No teams found.",
            action: html`<a href="${path}">Show all teams</a>`,
          },
    ),
  });
  return layout(
    request,
    "Teams",
    html`
<div class="row space-between">
  <h1>Teams</h1>
  <a class="button" href="${path}/new">New team</a>
</div>
${await pendingMemberships(request, csrf)}
${filters(query, filterOptions)}
<div class="card">${list}</div>
${pager(query, { path, count: items.length, total })}`,
  );
}

export async function show(request: Request, item: Team): Promise<Html> {
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
    <div><dt>Name</dt><dd>${item.name}</dd></div>
    <div><dt>Added</dt><dd>${timestamp(item.created_at)}</dd></div>
    <div><dt>Changed</dt><dd>${timestamp(item.updated_at)}</dd></div>
  </dl>
</article>
<p class="row">
  ${changeable.has(item.id) && html`<a class="button" href="${path}/edit">Edit</a>`}
  <a class="button secondary" href="${path}/members">Members</a>
  <a class="button secondary" href="${path}/projects">Projects</a>
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
    "New team",
    html`
<h1>New team</h1>
${formOf(schema, data, options)}`,
  );
}

export { create as new };

export function edit(request: Request, csrf: string, data: Form, item: Team): Html {
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
<h1>Edit team</h1>
${formOf(schema, data, options)}`,
  );
}

const actions = (csrf: string, path: string, item: Team, query: Query): Html => html`
<a class="button secondary" href="${path}/edit" aria-label="Edit ${labelOf(item)}">Edit</a>
${deleteButton({ csrf, action: path + Query.toQueryString(query), label: labelOf(item) })}`;
