import { Time, User, Web } from "limmat";
import { Policy } from "limmat/policy";
import * as Team from "../app/domain/team/team.ts";
import * as Members from "../app/domain/team/members.ts";
import { memberPolicy } from "../app/domain/team/policy.ts";
import { text } from "../language/language.ts";
import { database } from "../service/service.ts";
import { userContext } from "../web/middleware/user-context.ts";
import * as MemberView from "../web/view/team-member.ts";

/** Shows the list of teams to members who have left, as they see the members no longer. */
const redirectLeavers: Web.Middleware = (handler) => async (request) => {
  const response = await handler(request);
  const isRedirect = response instanceof Web.Response && response.status === 303;
  if (request.method !== "DELETE" || !isRedirect) return response;
  const parentId = request.params["team"] ?? "";
  const ctx = await userContext(request);
  const isVisible = (await Team.find(parentId, { ctx })) !== undefined;
  return isVisible ? response : response.withHeader("location", `${request.prefix}/teams`);
};

/** Answers a pending membership. */
const answer =
  (act: typeof Members.accept, notice: () => string): Web.Handler<{ readonly id: string }> =>
  async (request) => {
    const response = Web.Response.redirect(`${request.prefix}/teams`);
    return (await act(request.params.id, { ctx: await userContext(request) }))
      ? Web.Flash.setNotice(notice(), response)
      : Web.Flash.setAlert(text.member.tooLate, response);
  };

const accept = answer(Members.accept, () => text.member.accepted);
const decline = answer(Members.decline, () => text.member.declined);

/** Shows a pending membership. Guests log in or register first: the forms contain its address. */
const invitation = Web.get("/teams/invitations/:id<uuid>", async (request) => {
  const { id } = request.params;
  if ((await User.Web.user(request)) === undefined) {
    const email = (await Members.invitedAddress(id)) ?? "";
    const query = new URLSearchParams({ email, return_to: request.target });
    return Web.Response.redirect(`${request.prefix}/login?${query.toString()}`);
  }
  const [item] = await Members.pending({ ctx: await userContext(request) }, id);
  const page = await MemberView.invitation(request, Web.Csrf.find(request), item);
  return Web.Response.html(page, { status: item === undefined ? 404 : 200 }).withHeader("cache-control", "no-store");
});

// Each address that a user adds or sends again gets a mail.
const limitAdding = Web.Middleware.requestLimit({
  name: "members",
  limit: 20,
  periodMs: Time.hours(1),
  key: (request) => (request.method === "POST" ? User.Web.byUser(request) : undefined),
});

/** Pages of the members of teams. */
const pages = Web.choose(
  [
    Web.put("/teams/invitations/:id<uuid>", accept),
    Web.delete("/teams/invitations/:id<uuid>", decline),
    ...Web.Rest.resourceOfService({
      name: "members",
      routeName: "teams.members",
      schema: Members.schema,
      view: MemberView,
      service: Members,
      texts: text.member,
      ...MemberView.listRules,
      ctx: userContext,
      policy: Policy.access(memberPolicy, { database, actor: User.Web.user }),
      parent: {
        path: "/teams/:team",
        find: (params, options) => Team.find(params.team, options),
        of: (item) => ({ team: item.team_id }),
      },
    }),
  ],
  { middlewares: [User.Web.requireUser({ loginPath: "/login" }), limitAdding, redirectLeavers] },
);

/** Routes of the members of teams. */
export const teamMembers = Web.choose([invitation, pages]);
