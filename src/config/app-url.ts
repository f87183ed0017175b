import type { ConfigurationField, Environment, Service } from "../core/index.ts";
import { url } from "./field.ts";
import { read, readString } from "./read.ts";
import { store, storedValue } from "./sources.ts";

const serverPortKey = "FRAMEWORK_SERVER_PORT";

/** Field of the key `APP_URL`. A service that puts links into mails lists it in its configuration. */
export const appUrlField: ConfigurationField<string> = url("APP_URL", {
  description: "the public address of the application, PREFIX_PATH included: https://example.com",
  required: ["production"],
  // The development server is a proxy of the application and sets its own port.
  default: () => {
    const serverPort = readString("PORT") ?? "3000";
    const port =
      readString("DEVELOPMENT_PORT") ?? (Number(serverPort) === 0 ? (storedValue(serverPortKey) ?? 0) : serverPort);
    return `http://localhost:${port}${readString("PREFIX_PATH") ?? ""}`;
  },
});

/**
 * Returns the absolute URL of a page, for mails and other texts that leave the application: `APP_URL` followed by a path.
 * The base comes from the configuration because the client controls a request's `Host` header.
 *
 * @throws E_CONFIGURATION_MISSING in production, E_CONFIGURATION_INVALID
 * @example
 * Configuration.appUrl(`/orders/${order.id}`).href; // "https://example.com/orders/7"
 */
export function appUrl(path = "/"): URL {
  return new URL(`${read(appUrlField).replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`);
}

/** Stores the port that the server listens on. Links have it if `PORT` is 0 and the system chose the port. */
export function storeServerPort(port: number): void {
  store([[serverPortKey, String(port)]]);
}

/** Checks for the command `doctor` that links which begin with `APP_URL` use https in production. */
export function checkAppUrl(links: string, environment: Environment): readonly Service.Finding[] {
  if (environment !== "production" || appUrl().protocol === "https:")
    return [{ level: "ok", message: `${links} begin with APP_URL` }];
  const message = `${links} would not be encrypted: APP_URL is not an https URL`;
  return [{ level: "problem", message, advice: "Set APP_URL to the https address of the application." }];
}
