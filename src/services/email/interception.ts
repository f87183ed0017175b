import { Configuration, type ConfigurationField } from "../../config/index.ts";
import type { Environment } from "../../core/index.ts";

const key = "EMAIL_SEND_OUTSIDE_PRODUCTION";

/** Whether mails leave the machine although this is not production. */
export const sendOutsideProduction: ConfigurationField<boolean> = Configuration.bool(key, {
  description: "whether mails are sent in development and tests, too, where otherwise an inbox keeps them",
  default: false,
});

/** Whether mails leave the machine: in production always, so that nothing set by mistake can swallow them there. */
export function leaves(environment: Environment): boolean {
  return environment === "production" || Configuration.read(sendOutsideProduction);
}

/** A field that is needed where mails leave. */
export function neededToSend<T>(field: ConfigurationField<T>): ConfigurationField<T> {
  return { ...field, isRequired: leaves };
}
