import { Configuration, ConfigurationInternals, type ConfigurationField } from "../../config/index.ts";

const csrfSettings = Configuration.group({
  check: Configuration.bool("CHECK_CSRF", {
    description: "true to check CSRF tokens in development and test too; production always checks them",
    default: false,
  }),
});

/** Configuration fields of the CSRF check. */
export const csrfConfiguration: readonly ConfigurationField[] = csrfSettings.fields;

/**
 * Returns true if unsafe requests need a token. They do unless `FRAMEWORK_ENV` is exactly `development` or `test`, and
 * `CHECK_CSRF` is not true. A missing or misspelt environment keeps the check on.
 */
export function isCsrfCheckEnabled(): boolean {
  const environment = Configuration.environment();
  const isOptional =
    ConfigurationInternals.isEnvironmentSet() && (environment === "development" || environment === "test");
  return !isOptional || csrfSettings.read().check;
}
