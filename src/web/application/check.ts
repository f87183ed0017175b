import { Configuration } from "../../config/index.ts";
import { isError, type Service } from "../../core/index.ts";
import { openFileAdvice, openFileLimit } from "../../http/server/index.ts";
import {
  configuredAddress,
  configuredPrefix,
  configuredSettings,
  configuredTls,
  firstAllowedHost,
  isCsrfCheckEnabled,
} from "./configuration.ts";
import type { HttpService } from "./service.ts";
import type { Router } from "../../http/router/index.ts";
import { guardFindings } from "./guards.ts";
import { unbuiltSources } from "../static/asset.ts";

/** Headers that a page should have, each with the risk of leaving it out (OWASP ASVS 3.4). */
const expectedHeaders: readonly (readonly [name: string, risk: string])[] = [
  ["content-security-policy", "injected scripts run"],
  ["x-content-type-options", "browsers guess the type of a file, and may run it"],
  ["referrer-policy", "other sites learn the addresses of pages"],
];

/** Number of open files below which `doctor` warns. Each connection, to clients and to databases, needs one. */
const minOpenFiles = 4096;

/** Checks the limit of open files, the listen address, the guards, the built assets and the response to `GET /`. */
export async function checkHttp(
  { fetch, router }: { readonly fetch: HttpService["fetch"]; readonly router: Router },
  { environment, failedServices = [] }: Service.CheckContext,
): Promise<readonly Service.Finding[]> {
  return [
    ...exposureFindings(environment),
    ...openFileFindings(),
    ...guardFindings(router),
    ...(environment === "production" ? assetFindings() : []),
    ...(failedServices.length === 0 ? await frontPageFindings(fetch) : [notRequested(failedServices)]),
  ];
}

function assetFindings(): Service.Finding[] {
  const sources = unbuiltSources();
  if (sources.length === 0) return [];
  const message = `Pages that link an asset without a build fail: ${sources.join(", ")}`;
  return [{ level: "warning", message, advice: 'Run the command "assets" before the server starts.' }];
}

/** Warns of a limit of open files that is too low for a server. */
export function openFileFindings(limit: number | undefined = openFileLimit()): Service.Finding[] {
  if (limit === undefined || limit >= minOpenFiles) return [];
  const message = `At most ${limit} files and connections can be open at a time`;
  return [{ level: "warning", message, advice: openFileAdvice }];
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
    return findings;
  }
  if (firstAllowedHost() === undefined) {
    const advice = "Set ALLOWED_HOSTS to the names of the site.";
    findings.push({ level: "warning", message: "Requests for any host name are answered", advice });
  }
  // Without TLS, the clients of a site in production reach it through a proxy.
  if (configuredTls() === undefined && configuredSettings().trustedProxies.isEmpty) {
    const message = "No proxy is trusted: behind one, all clients have its address, and one can lock out all others";
    const advice = "Set TRUSTED_PROXIES to the address of the proxy, or TLS_CERT and TLS_KEY if there is none.";
    findings.push({ level: "warning", message, advice });
  }
  return findings;
}

/** Returns the finding instead of a request: the page may need the services, and its failure would only repeat theirs. */
function notRequested(failedServices: readonly string[]): Service.Finding {
  const message = `GET / was not requested, because these services have problems: ${failedServices.join(", ")}`;
  return { level: "warning", message, advice: "Solve them and run doctor again." };
}

async function frontPageFindings(fetch: HttpService["fetch"]): Promise<Service.Finding[]> {
  const url = `https://${firstAllowedHost() ?? "localhost"}${configuredPrefix()}/`;
  const { status, headers } = await fetch(new globalThis.Request(url));
  if (status >= 500) {
    const advice = "Read error.log, or the output of server.";
    return [{ level: "problem", message: `GET / answers ${status}`, advice }];
  }
  const transportHeader = ["strict-transport-security", "the first visit may use http, which others can read"] as const;
  const requiredHeaders =
    Configuration.environment() === "production" ? [...expectedHeaders, transportHeader] : expectedHeaders;
  const missing = requiredHeaders.filter(([name]) => !headers.has(name));
  if (missing.length === 0) {
    return [
      { level: "ok", message: `GET / answers ${status}, with all security headers` },
      ...subdomainFindings(headers.get("strict-transport-security")),
    ];
  }
  const advice = "Web.Middleware.securityHeaders sets it.";
  return missing.map(([name, risk]) => ({ level: "warning", message: `GET / has no ${name}: ${risk}`, advice }));
}

/** Asks about the subdomains of a site in production: only the operator knows whether all of them support https. */
function subdomainFindings(transportSecurity: string | null): Service.Finding[] {
  if (transportSecurity === null || /includeSubDomains/i.test(transportSecurity)) return [];
  const message = "Strict-Transport-Security covers this host only, not its subdomains";
  const advice =
    "Do all subdomains support https? Then add Web.Middleware.securityHeaders({ includeSubDomains: true }) to `middlewares`.";
  return [{ level: "ok", message, advice }];
}
