import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { Time } from "../../time/index.ts";

/** How long a link is valid. */
export const lifetimeField: ConfigurationField<number> = Configuration.duration("ACCOUNT_EMAIL_LIFETIME", {
  description: "how long a link to confirm an address is valid, from 1h to 7d",
  // Longer than a link to set a password: it opens nothing to who is not logged in.
  default: Time.days(1),
  validate: (life) => (life >= Time.hours(1) && life <= Time.days(7) ? undefined : "must be a duration from 1h to 7d"),
});
