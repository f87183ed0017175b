import { html } from "limmat/html";
import type { Request } from "limmat/web";
import { type Input, type Label, labelOf, schema } from "../../app/domain/label/label.ts";
import { text } from "../../language/language.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";

export { layout } from "./layout.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  sortBy: ["created_at", "name"],
};

const pages: components.ResourcePages<Label, Input> = {
  texts: text.label,
  labelOf,
  schema,
  layout,
  components,
  ...listRules,
};

export const index = components.listPage(pages, {
  columns: ["name", "created_at"],
  before: (request: Request<{ readonly project: string }>) =>
    html`<p><a href="${request.prefix}/projects/${request.params.project}">${text.label.back}</a></p>`,
});

export const show = components.itemPage(pages, {
  facts: ["name", "created_at", "updated_at"],
  links: {},
});

const create = components.newPage(pages);

export { create as new };

export const edit = components.editPage(pages);
