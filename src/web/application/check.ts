import { Configuration } from "../../config/index.ts";
import { isError, type Service } from "../../core/index.ts";
import { isCsrfChecked } from "../csrf/configuration.ts";
import { configuredAddress, configuredPrefix, firstAllowedHost } from "./configuration.ts";

/** The headers that a page should have, and what is open without each (OWASP ASVS 3.4). */
const expected: readonly (readonly [name: string, risk: string])[] = [
  ["content-security-policy", "scripts that somebody smuggles into a page run"],
  ["x-content-type-options", "browsers guess what a file is, and may run it"],
  ["referrer-policy", "other sites learn the addresses of pages"],
];

/** Looks at where the server would listen, and at what it answers to `GET /`. */
export async function check(
  fetch: (request: globalThis.Request) => Promise<globalThis.Response>,
  { environment }: Service.CheckContext,
): Promise<readonly Service.Finding[]> {
  return [...exposure(environment), ...(await frontPage(fetch))];
}

function exposure(environment: Service.CheckContext["environment"]): Service.Finding[] {
  const found: Service.Finding[] = [];
  try {
    configuredAddress();
  } catch (thrown) {
    if (!isError(thrown)) throw thrown;
    found.push({ level: "problem", message: thrown.message });
  }
  if (environment !== "production") {
    if (!isCsrfChecked()) {
      const advice = "Set CHECK_CSRF to true, so that a form without a token fails here and not in production.";
      found.push({ level: "warning", message: "Forms are not checked for CSRF tokens", advice });
    }
  } else if (firstAllowedHost() === undefined) {
    const advice = "Set ALLOWED_HOSTS to the names of the site.";
    found.push({ level: "warning", message: "Requests for any host name are answered", advice });
  }
  return found;
}

async function frontPage(
  fetch: (request: globalThis.Request) => Promise<globalThis.Response>,
): Promise<Service.Finding[]> {
  const url = `https://${firstAllowedHost() ?? "localhost"}${configuredPrefix()}/`;
  const { status, headers } = await fetch(new globalThis.Request(url));
  if (status >= 500) {
    return [
      { level: "problem", message: `GET / answers ${status}`, advice: "The log tells why: error.log, or server." },
    ];
  }
  const strict = ["strict-transport-security", "the first visit may go over http, where anybody reads along"] as const;
  const wanted = Configuration.environment() === "production" ? [...expected, strict] : expected;
  const missing = wanted.filter(([name]) => !headers.has(name));
  if (missing.length === 0) return [{ level: "ok", message: `GET / answers ${status}, with all security headers` }];
  return missing.map(([name, risk]) => ({
    level: "warning",
    message: `GET / has no ${name}: ${risk}`,
    advice: "Leave it to Web.Middleware.securityHeaders.",
  }));
}
