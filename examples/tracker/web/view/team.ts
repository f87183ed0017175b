import { type Input, labelOf, schema, type Team } from "../../app/domain/team/team.ts";
import { text } from "../../language/language.ts";
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
