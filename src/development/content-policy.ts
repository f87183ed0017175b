import { Time } from "../time/index.ts";
import { developmentPaths } from "./browser-client.ts";
import { withoutControls } from "./failure.ts";

/** Directives of a content security policy: names in lower case, with their sources. */
type Directives = ReadonlyMap<string, readonly string[]>;

/** Parses a content security policy (CSP Level 3 §2.2.1). */
function parsePolicy(policy: string): Directives {
  return new Map(
    policy.split(";").flatMap((text): [string, readonly string[]][] => {
      const [name, ...sources] = text.trim().split(/\s+/);
      return name ? [[name.toLowerCase(), sources]] : [];
    }),
  );
}

/**
 * Extends a content security policy by the script of the development server, its event stream, and the reports of what the
 * policy blocks.
 *
 * Pages that load nothing, such as error pages, can then reload as well. All other directives stay unchanged.
 */
export function developmentPolicy(policy: string): string {
  const directives = new Map(parsePolicy(policy));
  const script = directives.has("script-src-elem") ? "script-src-elem" : "script-src";
  for (const name of [script, "connect-src"]) {
    const sources = directives.get(name) ?? directives.get("default-src");
    if (sources === undefined || sources.includes("'self'")) continue;
    directives.set(name, [...sources.filter((source) => source !== "'none'"), "'self'"]);
  }
  // Browsers that support `report-to` ignore `report-uri` beside it.
  directives.delete("report-to");
  directives.set("report-uri", [...(directives.get("report-uri") ?? []), developmentPaths.policyReports]);
  return [...directives].map(([name, sources]) => [name, ...sources].join(" ")).join("; ");
}

/** Report of a violation, as browsers send it to `report-uri` (CSP Level 3 §5.3). */
interface PolicyReport {
  readonly "document-uri"?: unknown;
  readonly "blocked-uri"?: unknown;
  readonly "effective-directive"?: unknown;
  readonly "violated-directive"?: unknown;
  readonly "original-policy"?: unknown;
  /** `report` for a policy that blocks nothing. */
  readonly disposition?: unknown;
  readonly "source-file"?: unknown;
  readonly "line-number"?: unknown;
}

/**
 * Describes what the content security policy of a page has blocked, and the remedy. Returns `undefined` for anything but a
 * report of a page on `host`, and for scripts of browser extensions.
 */
export function describePolicyReport(body: string, host: string): string | undefined {
  const report = parseReport(body);
  const page = URL.parse(textOf(report["document-uri"]));
  if (page?.host !== host) return undefined;
  const [effective = ""] = textOf(report["effective-directive"] ?? report["violated-directive"]).split(" ");
  if (!/^[a-z-]+$/.test(effective)) return undefined;
  const blocked = textOf(report["blocked-uri"]);
  const sourceFile = textOf(report["source-file"]);
  if ([blocked, sourceFile].some((text) => /^[a-z-]+-extension(?::|$)/.test(text))) return undefined;
  const source = URL.parse(sourceFile);
  const line = Number(report["line-number"]);
  const position = Number.isInteger(line) && line > 0 ? `, line ${line}` : "";
  const file = source?.host === host && source.pathname !== page.pathname ? ` by ${source.pathname}` : "";
  const where = `on ${page.pathname}${file}${position}`;
  const sources = parsePolicy(textOf(report["original-policy"]));
  const allowed =
    sources.get(effective) ?? sources.get(effective.replace(/-(?:elem|attr)$/, "")) ?? sources.get("default-src");
  const [header, verb] = report.disposition === "report" ? ["-Report-Only", "would block"] : ["", "blocked"];
  return oneLine(
    `Content-Security-Policy${header}: ${effective} ${verb} ${describeBlocked(blocked, effective)} ${where}. ` +
      remedyOf(blocked, effective, allowed ?? []),
  );
}

function describeBlocked(blocked: string, directive: string): string {
  if (blocked === "inline") {
    if (directive === "script-src-attr") return "an event handler attribute, such as onclick,";
    if (directive === "style-src-attr") return "a style attribute";
    return directive.startsWith("style") ? "an inline <style>" : "an inline <script>";
  }
  if (blocked === "eval") return "eval";
  if (blocked === "wasm-eval") return "WebAssembly";
  const url = URL.parse(blocked);
  // Without the query, which may hold personal data.
  return url === null || url.host === "" ? `"${blocked.split(/[?#]/, 1)[0]}"` : url.origin + url.pathname;
}

function remedyOf(blocked: string, directive: string, allowed: readonly string[]): string {
  if (blocked === "inline" && directive === "script-src-attr") {
    return "Add the listener in a script file: element.addEventListener(…).";
  }
  if (blocked === "inline" && directive === "style-src-attr") return "Use a class, and style it in a style sheet.";
  if (blocked === "inline" && /^(?:script|style)-src/.test(directive)) {
    const tag = directive.startsWith("style") ? "style" : "script";
    return `Move it to a file in public or resources, or write <${tag} nonce="\${Web.nonce(request)}">.`;
  }
  const name = directive.replace(/-(?:elem|attr)$/, "");
  const isUrl = /^(?:https?|wss?|data|blob):?/.test(blocked);
  const addition =
    blocked === "eval" ? "'unsafe-eval'" : blocked === "wasm-eval" ? "'wasm-unsafe-eval'" : originOf(blocked);
  const sources = [...allowed.filter((source) => !/^'(?:none|nonce-.*|sha\d+-.*)'$/.test(source)), addition];
  const option = `Web.Middleware.securityHeaders({ contentSecurityPolicy: { "${name}": "${sources.join(" ")}" } })`;
  const what = isUrl ? "To allow it" : "If you need it";
  return `${what}, add ${option} to the middlewares of Web.Http.service.`;
}

/** Returns the source expression that allows a URL: its origin, or the scheme of a URL without one. */
function originOf(blocked: string): string {
  const url = URL.parse(blocked);
  if (url === null) return /^[a-z]+$/.test(blocked) ? `${blocked}:` : "'self'";
  return url.origin === "null" ? url.protocol : url.origin;
}

function parseReport(body: string): PolicyReport {
  try {
    const document = JSON.parse(body) as { readonly "csp-report"?: unknown } | null;
    return Object(document?.["csp-report"]) as PolicyReport;
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const maxReportLength = 600;

const oneLine = (text: string): string => withoutControls(text).replaceAll(/\s+/g, " ").slice(0, maxReportLength);

const windowMs = 60_000;
const maxReportsPerWindow = 10;

/** Creates a function that prints each text once a minute, and at most ten texts a minute. */
export function limitReports(print: (line: string) => void): (text: string) => void {
  let startMs = -Infinity;
  let printed = new Set<string>();
  return (text) => {
    const nowMs = Time.monotonic();
    if (nowMs - startMs >= windowMs) {
      startMs = nowMs;
      printed = new Set();
    }
    if (printed.has(text) || printed.size > maxReportsPerWindow) return;
    printed.add(text);
    if (printed.size <= maxReportsPerWindow) print(text);
    else print("Content-Security-Policy: more is blocked. The console of the browser lists it.");
  };
}
