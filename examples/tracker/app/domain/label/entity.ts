import { Schema } from "limmat";
import type { Table } from "limmat/table";
import type { labels } from "./repository.ts";

/** Input of forms and of the API. */
export const schema = Schema.record({
  name: Schema.string({ min: 1, trim: true }),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored label. */
export type Label = Table.Infer<typeof labels>;

/** Returns the text that titles and links show for a label. */
export function labelOf(label: Pick<Label, "name">): string {
  return label.name;
}
