import { Schema, User } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { issues } from "../issue/entity.ts";

/** Input of forms and of the API. */
export const schema = Schema.record({
  text: Schema.text({ min: 1, trim: true }),
});

export type Input = Schema.Infer<typeof schema>;

/** Table of the comments. */
export const comments = Table.make("comments", {
  schema,
  columns: { issue_id: Row.uuid, owner_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    issue: () => Table.belongsTo(issues, { onDelete: "cascade" }),
    owner: () => Table.belongsTo(User.table, { onDelete: "cascade" }),
  },
  search: {
    filter: ["text"],
    sortBy: ["created_at"],
  },
});

/** Relations that are loaded with a comment. */
export const relations = ["owner"] as const;

/** A stored comment. */
export type Comment = Table.Infer<typeof comments, typeof relations>;

/** Returns the text that titles and links show for a comment. */
export function labelOf(comment: Pick<Comment, "text">): string {
  return comment.text;
}
