import { Schema } from "limmat";

/** Input of forms and of the API. */
export const schema = Schema.record({
  title: Schema.string({
    max: 200,
    validate: (title) => (title.trim() === "" ? "Please enter a title" : undefined),
  }),
  body: Schema.text({ max: 20_000 }),
});

export type Input = Schema.Infer<typeof schema>;

/** A stored note. */
export interface Note extends Input {
  readonly id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}
