import { Schema } from "limmat";
import { type ProfileInput, profileFields } from "../profile/entity.ts";

const email = Schema.string({ max: 254 });
const password = Schema.text({ sensitive: true });

export const credentials = Schema.record({ email, password });
export const registration = Schema.record({ username: profileFields.username, email, password });
export const changes = Schema.record({ email, password, ...profileFields });

export type Registration = Schema.Infer<typeof registration>;
export type Changes = Partial<Schema.Infer<typeof changes>>;

/** An account, as its owner sees it. */
export interface Account extends ProfileInput {
  readonly id: string;
  readonly email: string;
}
