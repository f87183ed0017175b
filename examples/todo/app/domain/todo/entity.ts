import { Schema } from "limmat";
import type { Table } from "limmat/table";
import type { todos } from "./repository.ts";

/** Input of forms. */
export const schema = Schema.record({
  title: Schema.string({
    max: 200,
    validate: (title) => (title.trim() === "" ? "Please enter a title" : undefined),
  }),
  notes: Schema.text({ max: 2000 }),
  done: Schema.bool(),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored to-do. */
export type Todo = Table.Infer<typeof todos>;
