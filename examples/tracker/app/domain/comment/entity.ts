import { Schema } from "limmat";
import type { Table } from "limmat/table";
import type { comments, relations } from "./repository.ts";

/** Input of forms and of the API. */
export const schema = Schema.record({
  text: Schema.text({ min: 1, trim: true }),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored comment. */
export type Comment = Table.Infer<typeof comments, typeof relations>;

/** Returns the text that titles and links show for a comment. */
export function labelOf(comment: Pick<Comment, "text">): string {
  return comment.text;
}
