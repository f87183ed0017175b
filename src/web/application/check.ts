import { Configuration } from "../../config/index.ts";
import { isError, type Service } from "../../core/index.ts";
import { isCsrfCheckEnabled } from "../csrf/configuration.ts";
import { configuredAddress, configuredPrefix, firstAllowedHost } from "./configuration.ts";

/** Headers that a page should have, each with the risk of leaving it out (OWASP ASVS 3.4). */
const expectedHeaders: readonly (readonly [name: string, risk: string])[] = [
  ["content-security-policy", "injected scripts run"],
  ["x-content-type-options", "browsers guess the type of a file, and may run it"],
  ["referrer-policy", "other sites learn the addresses of pages"],
];

/** Checks the listen address and the response to `GET /`. */
export async function checkHttp(
  fetch: (request: globalThis.Request) => Promise<globalThis.Response>,
  { environment }: Service.CheckContext,
): Promise<readonly Service.Finding[]> {
  return [...exposureFindings(environment), ...(await frontPageFindings(fetch))];
}

function exposureFindings(environment: Service.CheckContext["environment"]): Service.Finding[] {
  const findings: Service.Finding[] = [];
  try {
    configuredAddress();
  } catch (thrown) {
    if (!isError(thrown)) throw thrown;
    findings.push({ level: "problem", message: thrown.message });
  }
  if (environment !== "production") {
    if (!isCsrfCheckEnabled()) {
      const advice = "Set CHECK_CSRF to true, so that a form without a token fails here and not in production.";
      findings.push({ level: "warning", message: "Forms are not checked for CSRF tokens", advice });
    }
  } else if (firstAllowedHost() === undefined) {
    const advice = "Set ALLOWED_HOSTS to the names of the site.";
    findings.push({ level: "warning", message: "Requests for any host name are answered", advice });
  }
  return findings;
}

async function frontPageFindings(
  fetch: (request: globalThis.Request) => Promise<globalThis.Response>,
): Promise<Service.Finding[]> {
  const url = `https://${firstAllowedHost() ?? "localhost"}${configuredPrefix()}/`;
  const { status, headers } = await fetch(new globalThis.Request(url));
  if (status >= 500) {
    return [
      { level: "problem", message: `GET / answers ${status}`, advice: "Read error.log, or the output of server." },
    ];
  }
  const transportHeader = ["strict-transport-security", "the first visit may use http, which others can read"] as const;
  const requiredHeaders =
    Configuration.environment() === "production" ? [...expectedHeaders, transportHeader] : expectedHeaders;
  const missing = requiredHeaders.filter(([name]) => !headers.has(name));
  if (missing.length === 0) return [{ level: "ok", message: `GET / answers ${status}, with all security headers` }];
  return missing.map(([name, risk]) => ({
    level: "warning",
    message: `GET / has no ${name}: ${risk}`,
    advice: "Web.Middleware.securityHeaders sets it.",
  }));
}
