import { Schema } from "limmat";

/** What a person types. */
export const schema = Schema.record({
  title: Schema.string({
    validate: (title) => {
      if (title.trim() === "") return "Please enter a title";
      return title.length > 200 ? "Please use at most 200 characters" : undefined;
    },
  }),
  notes: Schema.string({
    validate: (notes) => (notes.length > 2000 ? "Please use at most 2,000 characters" : undefined),
  }),
  done: Schema.bool(),
});

export type Input = Schema.Infer<typeof schema>;

export interface Todo extends Input {
  readonly id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}
