import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { Time } from "../../time/index.ts";

/** How long a link is valid. */
export const lifetimeField: ConfigurationField<number> = Configuration.duration("PASSWORD_RESET_LIFETIME", {
  description: "how long a link to set a new password is valid, from 1m to 1h",
  // OWASP ASVS 6.5.5: tokens that go another way than the log-in live ten minutes at most.
  default: Time.minutes(10),
  validate: (life) =>
    life >= Time.minutes(1) && life <= Time.hours(1) ? undefined : "must be a duration from 1m to 1h",
});
