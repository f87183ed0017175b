import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { passwordConfiguration } from "../../password/index.ts";
import { Time } from "../../time/index.ts";

const userSettings = Configuration.group({
  sessionLifetimeMs: Configuration.duration("USER_SESSION_LIFETIME", {
    description: "time after login until the session ends, active or not",
    default: Time.days(30),
    // Databases cannot represent dates much further away.
    validate: (life) => (life > 0 && life <= Time.days(36_525) ? undefined : "must be from 1ms to a hundred years"),
  }),
});

/** Configuration fields of the user service. */
export const userConfiguration: readonly ConfigurationField[] = [...userSettings.fields, ...passwordConfiguration];

/** Returns the lifetime of a session, in milliseconds. */
export const sessionLifetimeMs = (): number => userSettings.read().sessionLifetimeMs;
