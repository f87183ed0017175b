import { Schema } from "limmat";

/** What a person types. */
export const schema = Schema.record({ text: Schema.string({ min: 1, max: 80, trim: true }) });

export type Input = Schema.Infer<typeof schema>;

/** A line that the welcome page greets with. */
export interface Greeting extends Input {
  readonly id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}
