import { developmentPaths } from "./browser-client.ts";

/** Directives of a content security policy: names in lower case, with their sources. */
type Directives = ReadonlyMap<string, readonly string[]>;

/** Parses a content security policy (CSP Level 3 §2.2.1). */
export function parsePolicy(policy: string): Directives {
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
