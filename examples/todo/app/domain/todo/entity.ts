import { Schema } from "limmat";

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
export interface Todo extends Input {
  readonly id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}
