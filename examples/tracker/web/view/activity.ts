import { html, type Html } from "limmat/html";
import { Query, type Request, Rest } from "limmat/web";
import { type Activity, eventChoices, labelOf, offeredUsers } from "../../app/domain/activity/activity.ts";
import { userContext } from "../middleware/user-context.ts";
import { emptyState, filters, humanize, pager, sortLinks, table, timestamp } from "./components.ts";
import { layout } from "./layout.ts";
import { memberLabel } from "./user-label.ts";

type Page = readonly [items: readonly Activity[], total: number];

/** Filters and sort columns of the list. */
export const listRules = {
  filterBy: {
    event: Query.oneOf(...eventChoices),
    actor_id: Query.nullable(Query.uuid),
  },
  sortBy: ["created_at", "subject"],
};

export async function index(
  request: Request<{ readonly project: string }>,
  _: string,
  [items, total]: Page,
  query: Query,
): Promise<Html> {
  const path = Rest.listPath(request);
  const filterOptions = {
    ...listRules,
    path,
    hasOrder: false,
    filters: {
      actor_id: { label: "Actor", choices: await usersChoices(request, request.params.project) },
    },
  };
  const list = table(items, {
    caption: "Activities",
    columns: [
      { label: "Activity", value: labelOf, sort: "subject" },
      { label: "Event", name: "event", format: humanize },
      { label: "Actor", value: (item) => item.actor && memberLabel(item.actor) },
      { label: "Added", name: "created_at", sort: "created_at" },
    ],
    sort: sortLinks(query, path, listRules),
    rowLink: (item) => Rest.itemPath(request, item.id),
    empty: emptyState(
      total === 0 && !Query.isFiltered(query)
        ? { title: "No activities yet." }
        : {
            title: "No activities found.",
            action: html`<a href="${path}">Show all activities</a>`,
          },
    ),
  });
  return layout(
    request,
    "Activities",
    html`
<p><a href="${request.prefix}/projects/${request.params.project}">Back to the project</a></p>
<div class="row space-between">
  <h1>Activities</h1>
</div>
${filters(query, filterOptions)}
<div class="card">${list}</div>
${pager(query, { path, count: items.length, total })}`,
  );
}

export function show(request: Request, item: Activity): Html {
  return layout(
    request,
    labelOf(item),
    html`
<article class="card">
  <h1>${labelOf(item)}</h1>
  <dl class="facts">
    <div><dt>Event</dt><dd>${humanize(item.event)}</dd></div>
    <div><dt>Subject</dt><dd>${item.subject}</dd></div>
    <div><dt>Actor</dt><dd>${item.actor && memberLabel(item.actor)}</dd></div>
    <div><dt>Added</dt><dd>${timestamp(item.created_at)}</dd></div>
    <div><dt>Changed</dt><dd>${timestamp(item.updated_at)}</dd></div>
  </dl>
</article>
<p><a href="${Rest.listPath(request)}">Back to the list</a></p>`,
  );
}

/** Returns the choices of a control: users, with their addresses for those who may see them. */
async function usersChoices(
  request: Request,
  project_id: string,
): Promise<readonly (readonly [id: string, label: string])[]> {
  const users = await offeredUsers(project_id, { ctx: await userContext(request) });
  return users.map((row) => [row.id, memberLabel(row)]);
}
