import { Schema } from "limmat";

/** Input of a greeting. */
export const schema = Schema.record({ text: Schema.string({ min: 1, max: 80, trim: true }) });

export type Input = Schema.Infer<typeof schema>;

/** A greeting of the welcome page. */
export interface Greeting extends Input {
  readonly id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}
