import { html } from "limmat/html";
import type { Request } from "limmat/web";
import { type Input, type Label, labelOf, schema } from "../../app/domain/label/label.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";

export { layout } from "./layout.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  sortBy: ["created_at", "name"],
};

const pages: components.ResourcePages<Label, Input> = {
  one: "label",
  many: "labels",
  labelOf,
  schema,
  layout,
  components,
  ...listRules,
};

export const index = components.listPage(pages, {
  columns: [{ label: "Label", value: labelOf, sort: "name" }, "created_at"],
  before: (request: Request<{ readonly project: string }>) =>
    html`<p><a href="${request.prefix}/projects/${request.params.project}">Back to the project</a></p>`,
});

export const show = components.itemPage(pages, {
  facts: ["name", "created_at", "updated_at"],
  links: {},
});

const create = components.newPage(pages);

export { create as new };

export const edit = components.editPage(pages);
