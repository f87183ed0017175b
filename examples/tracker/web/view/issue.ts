import { html } from "limmat/html";
import { Query, type Request, Rest } from "limmat/web";
import * as Label from "../../app/domain/label/label.ts";
import { type Input, type Issue, labelOf, offeredUsers, schema, stateChoices } from "../../app/domain/issue/issue.ts";
import { text } from "../../language/language.ts";
import { userContext } from "../middleware/user-context.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";
import { memberLabel } from "./user-label.ts";

export { layout } from "./layout.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  filterBy: {
    state: Query.oneOf(...stateChoices),
    assignee_id: Query.nullable(Query.uuid),
    labels: Query.nullable(Query.uuid),
  },
  sortBy: ["created_at", "title"],
};

const pages: components.ResourcePages<Issue, Input> = {
  texts: text.issue,
  labelOf,
  schema,
  layout,
  components,
  ...listRules,
};

export const index = components.listPage(pages, {
  columns: [
    { name: "title", value: labelOf },
    "state",
    { name: "assignee_id", value: (item) => item.assignee && memberLabel(item.assignee) },
    { name: "label_ids", value: (item) => item.labels.map(Label.labelOf).join(", ") },
    "created_at",
  ],
  filters: async (request: Request<{ readonly project: string }>) => {
    const options = await fields(request, request.params.project);
    return { ...options, labels: options.label_ids };
  },
  before: (request: Request<{ readonly project: string }>) =>
    html`<p><a href="${request.prefix}/projects/${request.params.project}">${text.issue.back}</a></p>`,
  after: (request, _, query) =>
    html`<p><a href="${Rest.listPath(request)}.csv${Query.toQueryString(query)}">${text.issue.download}</a></p>`,
});

export const show = components.itemPage(pages, {
  facts: [
    "title",
    "body",
    "state",
    { name: "assignee_id", value: (item) => item.assignee && memberLabel(item.assignee) },
    { name: "label_ids", value: (item) => item.labels.map(Label.labelOf).join(", ") },
    "created_at",
    "updated_at",
  ],
  links: text.issue.links,
});

const create = components.newPage(pages, {
  fields: (request: Request<{ readonly project: string }>) => fields(request, request.params.project),
});

export { create as new };

export const edit = components.editPage(pages, { fields: (request, item) => fields(request, item.project_id, item) });

/** Returns the options of the form fields that the schema does not determine. */
async function fields(request: Request, project_id: string, item?: Issue): Promise<components.FormFields<Input>> {
  const scope = { ctx: await userContext(request), params: { project: project_id } };
  const [labels] = await Label.search({ limit: 1000 }, scope);
  const users = await offeredUsers(project_id, scope, item);
  return {
    title: { hint: text.issue.titleHint },
    body: { rows: 8 },
    assignee_id: { choices: components.choicesOf(users, memberLabel) },
    label_ids: { choices: components.choicesOf(labels, Label.labelOf) },
  };
}
