import { html } from "limmat/html";
import { Query, type Request } from "limmat/web";
import {
  type Activity,
  eventChoices,
  type Input,
  labelOf,
  offeredUsers,
  schema,
} from "../../app/domain/activity/activity.ts";
import { text } from "../../language/language.ts";
import { userContext } from "../middleware/user-context.ts";
import * as components from "./components.ts";
import { layout } from "./layout.ts";
import { memberLabel } from "./user-label.ts";

export { layout } from "./layout.ts";

/** Filters and sort columns of the list. */
export const listRules = {
  filterBy: {
    event: Query.oneOf(...eventChoices),
    actor_id: Query.nullable(Query.uuid),
  },
  sortBy: ["created_at", "subject"],
};

const pages: components.ResourcePages<Activity, Input> = {
  texts: text.activity,
  labelOf,
  schema,
  layout,
  components,
  only: ["index", "show"],
  ...listRules,
};

export const index = components.listPage(pages, {
  columns: [
    "subject",
    "event",
    { name: "actor_id", value: (item) => item.actor && memberLabel(item.actor) },
    "created_at",
  ],
  filters: (request: Request<{ readonly project: string }>) => fields(request, request.params.project),
  before: (request: Request<{ readonly project: string }>) =>
    html`<p><a href="${request.prefix}/projects/${request.params.project}">${text.activity.back}</a></p>`,
});

export const show = components.itemPage(pages, {
  facts: [
    "event",
    "subject",
    { name: "actor_id", value: (item) => item.actor && memberLabel(item.actor) },
    "created_at",
    "updated_at",
  ],
  links: {},
});

/** Returns the options of the form fields that the schema does not determine. */
async function fields(request: Request, project_id: string, item?: Activity): Promise<components.FormFields<Input>> {
  const scope = { ctx: await userContext(request) };
  const users = await offeredUsers(project_id, scope, item);
  return {
    actor_id: { choices: components.choicesOf(users, memberLabel) },
  };
}
