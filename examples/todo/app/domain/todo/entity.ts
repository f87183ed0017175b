import { Schema } from "limmat";
import { Table } from "limmat/table";

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

/** Table of the to-dos. */
export const todos = Table.make("todos", {
  schema,
  timestamps: true,
  search: { filter: ["title", "notes"], sortBy: ["created_at"] },
});

/** A stored to-do. */
export type Todo = Table.Infer<typeof todos>;
