import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { Time } from "../../time/index.ts";
import { passwordConfiguration } from "./password/index.ts";

const settings = Configuration.group({
  sessionLife: Configuration.duration("USER_SESSION_LIFE", {
    description: "how long after log-in a user is logged out, whatever happens",
    default: Time.days(30),
    // No database has the dates of much longer ones.
    validate: (life) => (life > 0 && life <= Time.days(36_525) ? undefined : "must be from 1ms to a hundred years"),
  }),
});

/** What the user service reads. */
export const userConfiguration: readonly ConfigurationField[] = [...settings.fields, ...passwordConfiguration];

/** How long a session of a user lasts, in milliseconds. */
export const sessionLife = (): number => settings.read().sessionLife;
