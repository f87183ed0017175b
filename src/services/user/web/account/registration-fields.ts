import { Schema } from "../../../../schema/index.ts";

/** Fields of every registration form. The password is never filled in again. */
export const registrationFields: {
  readonly email: Schema.Field<string>;
  readonly password: Schema.Field<string>;
  readonly confirmation: Schema.Field<string>;
} = {
  email: Schema.string(),
  password: Schema.text({ sensitive: true }),
  confirmation: Schema.text({ sensitive: true }),
};
