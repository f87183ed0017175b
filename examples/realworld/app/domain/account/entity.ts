import { Schema } from "limmat";
import { type Details, fields } from "../profile/entity.ts";

const email = Schema.string({ max: 254 });
const password = Schema.text({ sensitive: true });

export const credentials = Schema.record({ email, password });
export const registration = Schema.record({ username: fields.username, email, password });
export const changes = Schema.record({ email, password, ...fields });

export type Registration = Schema.Infer<typeof registration>;
export type Changes = Partial<Schema.Infer<typeof changes>>;

/** What its owner sees of an account. */
export interface Account extends Details {
  readonly id: string;
  readonly email: string;
}
