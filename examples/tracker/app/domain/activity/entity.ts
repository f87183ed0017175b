import { Schema } from "limmat";
import type { Table } from "limmat/table";
import type { activities, relations } from "./repository.ts";

export const eventChoices = ["opened", "changed", "closed", "deleted", "commented", "attached"] as const;

/** Input of forms and of the API. */
export const schema = Schema.record({
  event: Schema.oneOf(eventChoices),
  subject: Schema.string({ min: 1, trim: true }),
  actor_id: Schema.optional(Schema.uuid()),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored activity. */
export type Activity = Table.Infer<typeof activities, typeof relations>;

/** Returns the text that titles and links show for an activity. */
export function labelOf(activity: Pick<Activity, "subject">): string {
  return activity.subject;
}
