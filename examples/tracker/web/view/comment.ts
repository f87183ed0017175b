import { html } from "limmat/html";
import type { Request } from "limmat/web";
import { type Comment, type Input, labelOf, schema } from "../../app/domain/comment/comment.ts";
import { text } from "../../language/language.ts";
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
