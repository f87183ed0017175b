import { Schema } from "limmat";
import type { Table } from "limmat/table";
import { text } from "../../../language/language.ts";
import type { issues, relations } from "./repository.ts";

export const stateChoices = ["open", "closed"] as const;

/** Columns of the input. */
/** Returns a message if a title is too short to be understood. */
const checkWords = (title: string): string | undefined => (title.includes(" ") ? undefined : text.issue.oneWord);

export const fields = {
  title: Schema.string({ min: 1, trim: true, validate: checkWords }),
  body: Schema.optional(Schema.text()),
  state: Schema.oneOf(stateChoices, { default: "open" }),
  assignee_id: Schema.optional(Schema.uuid()),
};

/** Input of forms and of the API. */
export const schema = Schema.record({
  ...fields,
  label_ids: Schema.list(Schema.uuid(), { max: 100 }),
});

export type Input = Schema.Infer<typeof schema>;

export type StoredRow = Table.Infer<typeof issues, typeof relations>;

/** A stored issue. */
export interface Issue extends StoredRow {
  readonly label_ids: readonly string[];
}

/** Returns the text that titles and links show for an issue. */
export function labelOf(issue: Pick<Issue, "title">): string {
  return issue.title;
}
