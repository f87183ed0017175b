import { Configuration, type ConfigurationField } from "../../../config/index.ts";
import type { Environment } from "../../../core/index.ts";

/** Field that enables sending outside of production. */
export const sendOutsideProductionField: ConfigurationField<boolean> = Configuration.bool(
  "EMAIL_SEND_OUTSIDE_PRODUCTION",
  {
    description: "sends mails in development and tests, too, instead of capturing them in an inbox",
    default: false,
  },
);

/** Returns true if mails are sent. Always true in production, so that no wrong setting can stop mails there. */
export function shouldSend(environment: Environment): boolean {
  return environment === "production" || Configuration.read(sendOutsideProductionField);
}

/** Makes a field required where mails are sent. */
export function requiredToSend<T>(field: ConfigurationField<T>): ConfigurationField<T> {
  return { ...field, isRequired: shouldSend };
}
