import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { Time } from "../../time/index.ts";

const local = "http://localhost:3000/account/email/confirm";

/** How long a link is valid. */
export const lifetimeField: ConfigurationField<number> = Configuration.duration("ACCOUNT_EMAIL_LIFETIME", {
  description: "how long a link to confirm an address is valid, from 1h to 7d",
  // Longer than a link to set a password: it opens nothing to who is not logged in.
  default: Time.days(1),
  validate: (life) => (life >= Time.hours(1) && life <= Time.days(7) ? undefined : "must be a duration from 1h to 7d"),
});

/** Where a link leads: from the configuration, because a request's `Host` is whatever its sender wrote there. */
export const urlField: ConfigurationField<string> = Configuration.url("ACCOUNT_EMAIL_URL", {
  description:
    "the page to confirm an address on, where links in mails lead: https://example.com/account/email/confirm",
  required: ["production"],
  default: local,
});
