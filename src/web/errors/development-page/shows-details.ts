import { Configuration } from "../../../config/index.ts";

/**
 * Whether errors are shown with everything that helps to find them. Only when `FRAMEWORK_ENV` is set, to exactly
 * `development`: a server on which somebody forgot to set it shows nothing.
 */
export function showsDetails(): boolean {
  return Configuration.isEnvironmentSet() && Configuration.environment() === "development";
}
