import { html } from "limmat/html";
import type { Request } from "limmat/web";
import { type Input, labelOf, type Project, schema } from "../../app/domain/project/project.ts";
import { text } from "../../language/language.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";

export { layout } from "./layout.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  sortBy: ["created_at", "name"],
};

const pages: components.ResourcePages<Project, Input> = {
  texts: text.project,
  labelOf,
  schema,
  layout,
  components,
  ...listRules,
};

export const index = components.listPage(pages, {
  columns: ["name", "created_at"],
  before: (request: Request<{ readonly team: string }>) =>
    html`<p><a href="${request.prefix}/teams/${request.params.team}">${text.project.back}</a></p>`,
});

export const show = components.itemPage(pages, {
  facts: ["name", "description", "created_at", "updated_at"],
  links: text.project.links,
});

const create = components.newPage(pages);

export { create as new };

export const edit = components.editPage(pages);
