import { html } from "limmat/html";
import type { Request } from "limmat/web";
import { actingUser } from "../../app/domain/acting-user.ts";
import { type Comment, type Input, labelOf, schema } from "../../app/domain/comment/comment.ts";
import { policy } from "../../app/domain/comment/policy.ts";
import { text } from "../../language/language.ts";
import { database } from "../../service/service.ts";
import { userContext } from "../middleware/user-context.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";
import { memberLabel } from "./user-label.ts";

export { layout } from "./layout.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  sortBy: ["created_at"],
};

const pages: components.ResourcePages<Comment, Input> = {
  texts: text.comment,
  labelOf,
  schema,
  layout,
  components,
  changeableIds,
  ...listRules,
};

export const index = components.listPage(pages, {
  columns: ["text", { name: "owner_id", value: (item) => memberLabel(item.owner) }, "created_at"],
  before: (request: Request<{ readonly issue: string }>) =>
    html`<p><a href="${request.prefix}/issues/${request.params.issue}">${text.comment.back}</a></p>`,
});

export const show = components.itemPage(pages, {
  facts: ["text", { name: "owner_id", value: (item) => memberLabel(item.owner) }, "created_at", "updated_at"],
  links: {},
});

const create = components.newPage(pages);

export { create as new };

export const edit = components.editPage(pages);

/** Returns the ids of those items that the visitor may change. */
async function changeableIds(request: Request, items: readonly Comment[]): Promise<ReadonlySet<string>> {
  const ctx = await userContext(request);
  const can = await policy.can(database, actingUser({ ctx }), items, ["change"], { ctx });
  return new Set(items.filter((item) => can("change", item)).map(({ id }) => id));
}
