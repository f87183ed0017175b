import { Schema } from "limmat";
import type { Profile } from "../profile/entity.ts";

export const schema = Schema.record({ body: Schema.text({ min: 1, max: 10_000, trim: true }) });

export type Input = Schema.Infer<typeof schema>;

export interface Comment extends Input {
  readonly id: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly author: Profile;
}
