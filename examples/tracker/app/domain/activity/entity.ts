import { Schema, User } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { projects } from "../project/entity.ts";

export const eventChoices = ["opened", "changed", "closed", "deleted", "commented", "attached"] as const;

/** Input of forms and of the API. */
export const schema = Schema.record({
  event: Schema.oneOf(eventChoices),
  subject: Schema.string({ min: 1, trim: true }),
  actor_id: Schema.optional(Schema.uuid()),
});

export type Input = Schema.Infer<typeof schema>;

/** Table of the activities. */
export const activities = Table.make("activities", {
  id: "uuid7",
  schema,
  columns: { project_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    project: () => Table.belongsTo(projects, { onDelete: "cascade" }),
    actor: () => Table.belongsTo(User.table, { onDelete: "set null" }),
  },
  search: {
    filter: ["subject"],
    filterBy: ["event", "actor_id"],
    sortBy: ["created_at", "subject"],
  },
  singular: "activity",
});

/** Relations that are loaded with an activity. */
export const relations = ["actor"] as const;

/** A stored activity. */
export type Activity = Table.Infer<typeof activities, typeof relations>;

/** Returns the text that titles and links show for an activity. */
export function labelOf(activity: Pick<Activity, "subject">): string {
  return activity.subject;
}
