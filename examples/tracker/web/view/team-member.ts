import { User } from "limmat";
import { html, type Html } from "limmat/html";
import type { Form } from "limmat/schema";
import { Query, type Request, Rest } from "limmat/web";
import { isAdmin, type Member, pending, roles, schema } from "../../app/domain/team/members.ts";
import { labelOf as parentLabel } from "../../app/domain/team/team.ts";
import { userContext } from "../middleware/user-context.ts";
import {
  actionButton,
  emptyState,
  filters,
  formOf,
  humanize,
  pager,
  sortLinks,
  table,
  timestamp,
} from "./components.ts";
import { layout } from "./layout.ts";
import { memberLabel } from "./user-label.ts";

type Page = readonly [items: readonly Member[], total: number];
type ListRequest = Request<{ readonly team: string }>;

/** Filters and sort columns of the list. */
export const listRules = {
  filterBy: { role: Query.oneOf(...roles) },
  sortBy: ["created_at"],
};

export async function index(request: ListRequest, csrf: string, [items, total]: Page, query: Query): Promise<Html> {
  const path = Rest.listPath(request);
  const viewer = await viewerOf(request, request.params.team);
  const list = table(items, {
    caption: "Members",
    columns: [
      { label: "Member", value: labelOf },
      { label: "E-mail address", name: "email" },
      { label: "Role", name: "role", format: humanize },
      { label: "Since", name: "created_at", sort: "created_at" },
    ],
    sort: sortLinks(query, path, listRules),
    rowLink: (item) => Rest.itemPath(request, item.id),
    actions: (item) => actions(csrf, Rest.itemPath(request, item.id), item, viewer),
    empty: emptyState({ title: "No members found.", action: html`<a href="${path}">Show all members</a>` }),
  });
  const filterOptions = { ...listRules, path, hasOrder: false, search: false as const };
  return layout(
    request,
    "Members",
    html`
<p><a href="${request.prefix}/teams/${request.params.team}">Back to the team</a></p>
<div class="row space-between">
  <h1>Members</h1>
  ${viewer.isAdmin && html`<a class="button" href="${path}/new">Add a member</a>`}
</div>
${filters(query, filterOptions)}
<div class="card">${list}</div>
${pager(query, { path, count: items.length, total })}`,
  );
}

export async function show(request: Request, item: Member): Promise<Html> {
  const path = Rest.itemPath(request, item.id);
  const viewer = await viewerOf(request, item.team_id);
  return layout(
    request,
    labelOf(item),
    html`
<article class="card">
  <h1>${labelOf(item)}</h1>
  <dl class="facts">
    <div><dt>E-mail address</dt><dd>${item.email}</dd></div>
    <div><dt>Role</dt><dd>${humanize(item.role)}</dd></div>
    <div><dt>Since</dt><dd>${timestamp(item.created_at)}</dd></div>
  </dl>
</article>
<p class="row">
  ${viewer.isAdmin && html`<a class="button" href="${path}/edit">Change the role</a>`}
  <a href="${Rest.listPath(request)}">Back to the list</a>
</p>`,
  );
}

function create(request: Request, csrf: string, data: Form): Html {
  const path = Rest.listPath(request);
  const email = { label: "E-mail address", type: "email", hint: "The owner accepts it after logging in" } as const;
  const options = { csrf, action: path, submit: "Add", cancel: path, fields: { email } };
  return layout(
    request,
    "Add a member",
    html`
<h1>Add a member</h1>
${formOf(schema, data, options)}`,
  );
}

export { create as new };

export function edit(request: Request, csrf: string, data: Form, item: Member): Html {
  const path = Rest.itemPath(request, item.id);
  const cancel = Rest.listPath(request);
  const options = { csrf, action: path, method: "patch", submit: "Save", cancel, only: ["role"] } as const;
  return layout(
    request,
    `Role of ${labelOf(item)}`,
    html`
<h1>Role of ${labelOf(item)}</h1>
${formOf(schema, data, options)}`,
  );
}

/** Renders the memberships that wait for the user, for the list of teams. */
export async function pendingMemberships(request: Request, csrf: string): Promise<Html> {
  const memberships = await pending({ ctx: await userContext(request) });
  return html`${memberships.map((item) => {
    const label = parentLabel(item.team);
    const button = { csrf, action: `${request.prefix}/teams/pending/${item.id}` } as const;
    return html`
<div class="card">
  <div class="row space-between">
    <span>You can join <strong>${label}</strong>. Role: ${humanize(item.role)}</span>
    <div class="row">
      ${actionButton({ ...button, method: "put", text: "Accept", label: `Accept: ${label}`, style: "primary" })}
      ${actionButton({ ...button, method: "delete", text: "Decline", label: `Decline: ${label}` })}
    </div>
  </div>
</div>`;
  })}`;
}

/** User who looks at a page. */
interface Viewer {
  readonly id: string;
  readonly isAdmin: boolean;
}

async function viewerOf(request: Request, team_id: string): Promise<Viewer> {
  const { id } = await User.Web.userOrThrow(request);
  return { id, isAdmin: await isAdmin(team_id, { ctx: await userContext(request) }) };
}

const labelOf = ({ user, email }: Member): string =>
  user === undefined ? `${email} – has not accepted yet` : memberLabel(user);

function actions(csrf: string, path: string, item: Member, viewer: Viewer): Html {
  const button = { csrf, action: path, method: "delete", style: "danger" } as const;
  const isSelf = item.user_id === viewer.id;
  return html`
${viewer.isAdmin && html`<a class="button secondary" href="${path}/edit" aria-label="Change the role of ${labelOf(item)}">Change role</a>`}
${isSelf && actionButton({ ...button, text: "Leave" })}
${viewer.isAdmin && !isSelf && actionButton({ ...button, text: "Remove", label: `Remove ${labelOf(item)}` })}`;
}
