import type { Request } from "limmat/web";
import { actingUser } from "../../app/domain/acting-user.ts";
import { policy } from "../../app/domain/team/policy.ts";
import { type Input, labelOf, schema, type Team } from "../../app/domain/team/team.ts";
import { text } from "../../language/language.ts";
import { database } from "../../service/service.ts";
import { userContext } from "../middleware/user-context.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";
import { pendingMemberships } from "./team-member.ts";

export { layout } from "./layout.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  sortBy: ["created_at", "name"],
};

const pages: components.ResourcePages<Team, Input> = {
  texts: text.team,
  labelOf,
  schema,
  layout,
  components,
  changeableIds,
  ...listRules,
};

export const index = components.listPage(pages, {
  columns: ["name", "created_at"],
  before: pendingMemberships,
});

export const show = components.itemPage(pages, {
  facts: ["name", "created_at", "updated_at"],
  links: text.team.links,
});

const create = components.newPage(pages);

export { create as new };

export const edit = components.editPage(pages);

/** Returns the ids of those items that the visitor may change. */
async function changeableIds(request: Request, items: readonly Team[]): Promise<ReadonlySet<string>> {
  const ctx = await userContext(request);
  const can = await policy.can(database, actingUser({ ctx }), items, ["change"], { ctx });
  return new Set(items.filter((item) => can("change", item)).map(({ id }) => id));
}
