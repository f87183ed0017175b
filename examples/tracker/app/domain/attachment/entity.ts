import { Schema } from "limmat";
import { Row } from "limmat/database";
import { Table } from "limmat/table";
import { issues } from "../issue/entity.ts";

/** Input of forms and of the API. */
export const schema = Schema.record({
  name: Schema.string({ min: 1, trim: true }),
  size: Schema.int(),
  file: Schema.uuid(),
});

export type Input = Schema.Infer<typeof schema>;

/** Table of the attachments. */
export const attachments = Table.make("attachments", {
  schema,
  columns: { issue_id: Row.uuid },
  timestamps: true,
  version: true,
  relations: {
    issue: () => Table.belongsTo(issues, { onDelete: "cascade" }),
  },
  search: {
    filter: ["name"],
    sortBy: ["created_at", "name", "size"],
  },
});

/** A stored attachment. */
export type Attachment = Table.Infer<typeof attachments>;

/** Returns the text that titles and links show for an attachment. */
export function labelOf(attachment: Pick<Attachment, "name">): string {
  return attachment.name;
}
