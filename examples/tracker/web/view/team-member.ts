import { Time, User } from "limmat";
import { html, type Html } from "limmat/html";
import { Query, type Request, Rest } from "limmat/web";
import {
  type Input,
  isAdmin,
  type Member,
  pending,
  type Pending,
  roles,
  schema,
} from "../../app/domain/team/members.ts";
import { labelOf as parentLabel } from "../../app/domain/team/team.ts";
import { text } from "../../language/language.ts";
import { userContext } from "../middleware/user-context.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";
import { memberLabel } from "./user-label.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  filterBy: { role: Query.oneOf(...roles) },
  sortBy: ["created_at"],
};

const labelOf = ({ user, email, expires_at }: Member): string => {
  if (user !== undefined) return memberLabel(user);
  const isOpen = expires_at !== undefined && expires_at > Time.now();
  if (isOpen) return text.member.notAccepted({ email });
  return text.member.expired({ email });
};

const pages: components.ResourcePages<Member, Input> = {
  texts: text.member,
  labelOf,
  schema,
  layout,
  components,
  ...listRules,
};

type ListRequest = Request<{ readonly team: string }>;
type Page = readonly [items: readonly Member[], total: number];

export async function index(request: ListRequest, csrf: string, page: Page, query: Query): Promise<Html> {
  const path = Rest.listPath(request);
  const viewer = await viewerOf(request, request.params.team);
  const parentPath = `${request.prefix}/teams/${request.params.team}`;
  const list = components.listPage(pages, {
    columns: [{ label: text.member.fields.member, value: labelOf }, "email", "role", "created_at"],
    search: false,
    hasOrder: false,
    before: () => html`<p><a href="${parentPath}">${text.member.back}</a></p>`,
    heading: () => html`
<div class="row space-between">
  <h1>${text.member.title}</h1>
  ${viewer.isAdmin && html`<a class="button" href="${path}/new">${text.member.add}</a>`}
</div>`,
    actions: (item) => actions(csrf, Rest.itemPath(request, item.id), item, viewer),
  });
  return list(request, csrf, page, query);
}

export const show = components.itemPage(pages, { facts: ["email", "role", "created_at"] });

const create = components.newPage(pages, {
  fields: () => ({ email: { type: "email", hint: text.member.emailHint } }),
});

export { create as new };

export const edit = components.editPage(pages, { method: "patch", only: ["role"] });

/** Renders the memberships that wait for the user, for the list of teams. */
export async function pendingMemberships(request: Request, csrf: string): Promise<Html> {
  const memberships = await pending({ ctx: await userContext(request) });
  return html`${memberships.map((item) => pendingCard(request, csrf, item))}`;
}

/** Page behind the link of a mail. It only shows buttons, because mail scanners open links, too. */
export async function invitation(request: Request, csrf: string, item: Pending | undefined): Promise<Html> {
  const { email, confirmed } = await User.Web.userOrThrow(request);
  const title = text.member.invitation;
  const confirmFirst = text.member.confirmFirst;
  const refusal = html`<p>${confirmed ? text.member.notInvited({ email }) : html`<a href="${request.prefix}/account">${confirmFirst}</a>`}</p>`;
  const content = item === undefined ? refusal : pendingCard(request, csrf, item);
  return layout(request, title, html`<h1>${title}</h1>${content}`);
}

function pendingCard(request: Request, csrf: string, item: Pending): Html {
  const label = parentLabel(item.team);
  const offer = text.member.offer({
    team: label,
    role: text.member.choices.role[item.role],
    strong: (content) => html`<strong>${content}</strong>`,
  });
  const button = { csrf, action: `${request.prefix}/teams/invitations/${item.id}` } as const;
  return html`
<div class="card">
  <div class="row space-between">
    <span>${offer}</span>
    <div class="row">
      ${components.actionButton({ ...button, method: "put", text: text.member.accept, label: text.member.acceptLabel({ team: label }), style: "primary" })}
      ${components.actionButton({ ...button, method: "delete", text: text.member.decline, label: text.member.declineLabel({ team: label }) })}
    </div>
  </div>
</div>`;
}

/** Returns the user who looks at a page. */
async function viewerOf(request: Request, team_id: string) {
  const { id } = await User.Web.userOrThrow(request);
  return { id, isAdmin: await isAdmin(team_id, { ctx: await userContext(request) }) };
}

type Viewer = Awaited<ReturnType<typeof viewerOf>>;

function actions(csrf: string, path: string, item: Member, viewer: Viewer): Html {
  const button = { csrf, action: path, method: "delete", style: "danger" } as const;
  const isSelf = item.user_id === viewer.id;
  const label = labelOf(item);
  return html`
${viewer.isAdmin && html`<a class="button secondary" href="${path}/edit" aria-label="${text.member.changeRoleOf({ label })}">${text.member.changeRole}</a>`}
${viewer.isAdmin && item.user_id === undefined && sendAgain(csrf, item)}
${isSelf && components.actionButton({ ...button, text: text.member.leave })}
${viewer.isAdmin && !isSelf && components.actionButton({ ...button, text: text.member.remove, label: text.member.removeLabel({ label }) })}`;
}

/** Renders a button that adds the address of a pending membership again. */
const sendAgain = (csrf: string, { email, role }: Member): Html => html`
<form method="post">
  ${Object.entries({ csrf, email, role }).map(([name, value]) => components.hiddenField(name, value))}
  <button class="secondary" aria-label="${text.member.sendAgainTo({ email })}">${text.member.sendAgain}</button>
</form>`;
