import { Configuration, type ConfigurationField } from "../../config/index.ts";

const settings = Configuration.group({
  check: Configuration.bool("CHECK_CSRF", {
    description: "whether forms are checked in development and test too; production always checks them",
    default: false,
  }),
});

/** What the CSRF check reads. */
export const csrfConfiguration: readonly ConfigurationField[] = settings.fields;

/**
 * Whether unsafe requests need a token. Always, unless `FRAMEWORK_ENV` is set, to exactly `development` or `test`, and
 * `CHECK_CSRF` is not true: what was forgotten or misspelt protects.
 */
export function isCsrfChecked(): boolean {
  const environment = Configuration.environment();
  const mayBeOff = Configuration.isEnvironmentSet() && (environment === "development" || environment === "test");
  return !mayBeOff || settings.read().check;
}
