import type { ConfigurationField, Environment, Service } from "../core/index.ts";
import { url } from "./field.ts";
import { read, readString } from "./read.ts";

/** The key `APP_URL`. A service that puts links into mails has it among its configuration. */
export const appUrlField: ConfigurationField<string> = url("APP_URL", {
  description: "where people reach the application, PREFIX_PATH included: https://example.com",
  required: ["production"],
  // The development server, which stands in front of the application, sets its own port.
  default: () => {
    const port = readString("DEVELOPMENT_PORT") ?? readString("PORT") ?? "3000";
    return `http://localhost:${port}${readString("PREFIX_PATH") ?? ""}`;
  },
});

/**
 * The whole address of a page, for mails and whatever else leaves the application: `APP_URL` with a path behind it, from the
 * configuration because a request's `Host` is whatever its sender wrote there.
 *
 * @throws E_CONFIGURATION_MISSING in production, E_CONFIGURATION_INVALID
 * @example
 * Configuration.appUrl(`/orders/${order.id}`).href; // "https://example.com/orders/7"
 */
export function appUrl(path = "/"): URL {
  return new URL(`${read(appUrlField).replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`);
}

/** What the doctor says of links that begin with `APP_URL`: in production they must be encrypted. */
export function judgeAppUrl(links: string, where: Environment): readonly Service.Finding[] {
  if (where !== "production" || appUrl().protocol === "https:")
    return [{ level: "ok", message: `${links} lead where APP_URL says` }];
  const message = `${links} would be opened in the clear: APP_URL is no https URL`;
  return [{ level: "problem", message, advice: "Set APP_URL to the https address of the application." }];
}
