import { User } from "limmat";
import { html, type Html } from "limmat/html";
import { Query, type Request, Rest } from "limmat/web";
import { type Input, isAdmin, type Member, pending, roles, schema } from "../../app/domain/team/members.ts";
import { labelOf as parentLabel } from "../../app/domain/team/team.ts";
import { userContext } from "../middleware/user-context.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";
import { memberLabel } from "./user-label.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  filterBy: { role: Query.oneOf(...roles) },
  sortBy: ["created_at"],
};

const labelOf = ({ user, email }: Member): string =>
  user === undefined ? `${email} – has not accepted yet` : memberLabel(user);

const pages: components.ResourcePages<Member, Input> = {
  one: "member",
  many: "members",
  labelOf,
  schema,
  layout,
  components,
  texts: {
    newItem: () => "Add a member",
    edit: "Change the role",
    editItem: (label) => `Role of ${label}`,
  },
  ...listRules,
};

const email = { label: "E-mail address", name: "email" } as const;
const since = { label: "Since", name: "created_at" } as const;

type ListRequest = Request<{ readonly team: string }>;
type Page = readonly [items: readonly Member[], total: number];

export async function index(request: ListRequest, csrf: string, page: Page, query: Query): Promise<Html> {
  const path = Rest.listPath(request);
  const viewer = await viewerOf(request, request.params.team);
  const parentPath = `${request.prefix}/teams/${request.params.team}`;
  const list = components.listPage(pages, {
    columns: [{ label: "Member", value: labelOf }, email, "role", since],
    search: false,
    hasOrder: false,
    before: () => html`<p><a href="${parentPath}">Back to the team</a></p>`,
    heading: () => html`
<div class="row space-between">
  <h1>Members</h1>
  ${viewer.isAdmin && html`<a class="button" href="${path}/new">Add a member</a>`}
</div>`,
    actions: (item) => actions(csrf, Rest.itemPath(request, item.id), item, viewer),
  });
  return list(request, csrf, page, query);
}

/** Returns the ids of the members whose role the visitor may change. */
async function changeableIds(request: Request, items: readonly Member[]): Promise<ReadonlySet<string>> {
  const [item] = items;
  const isPermitted = item !== undefined && (await viewerOf(request, item.team_id)).isAdmin;
  return new Set(isPermitted ? items.map(({ id }) => id) : []);
}

export const show = components.itemPage({ ...pages, changeableIds }, { facts: [email, "role", since] });

const create = components.newPage(pages, {
  fields: { email: { label: "E-mail address", type: "email", hint: "The owner accepts it after logging in" } },
});

export { create as new };

export const edit = components.editPage(pages, { method: "patch", only: ["role"] });

/** Renders the memberships that wait for the user, for the list of teams. */
export async function pendingMemberships(request: Request, csrf: string): Promise<Html> {
  const memberships = await pending({ ctx: await userContext(request) });
  return html`${memberships.map((item) => {
    const label = parentLabel(item.team);
    const button = { csrf, action: `${request.prefix}/teams/pending/${item.id}` } as const;
    return html`
<div class="card">
  <div class="row space-between">
    <span>You can join <strong>${label}</strong>. Role: ${components.humanize(item.role)}</span>
    <div class="row">
      ${components.actionButton({ ...button, method: "put", text: "Accept", label: `Accept: ${label}`, style: "primary" })}
      ${components.actionButton({ ...button, method: "delete", text: "Decline", label: `Decline: ${label}` })}
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

function actions(csrf: string, path: string, item: Member, viewer: Viewer): Html {
  const button = { csrf, action: path, method: "delete", style: "danger" } as const;
  const isSelf = item.user_id === viewer.id;
  const label = labelOf(item);
  return html`
${viewer.isAdmin && html`<a class="button secondary" href="${path}/edit" aria-label="Change role of ${label}">Change role</a>`}
${isSelf && components.actionButton({ ...button, text: "Leave" })}
${viewer.isAdmin && !isSelf && components.actionButton({ ...button, text: "Remove", label: `Remove ${label}` })}`;
}
