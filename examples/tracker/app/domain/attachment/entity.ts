import { Schema } from "limmat";
import type { Table } from "limmat/table";
import type { attachments } from "./repository.ts";

/** Input of forms and of the API. */
export const schema = Schema.record({
  name: Schema.string({ min: 1, trim: true }),
  size: Schema.int(),
  file: Schema.uuid(),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored attachment. */
export type Attachment = Table.Infer<typeof attachments>;

/** Returns the text that titles and links show for an attachment. */
export function labelOf(attachment: Pick<Attachment, "name">): string {
  return attachment.name;
}
