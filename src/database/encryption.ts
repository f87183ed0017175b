import { ConfigurationInternals } from "../config/index.ts";
import type { Service } from "../core/index.ts";

/**
 * Reports a connection over which statements and results travel unencrypted to another machine. A URL with an `sslmode` says
 * what is intended, so it is not reported, even with `sslmode=disable`.
 */
export function encryptionFindings(url: string): readonly Service.Finding[] {
  const host = unencryptedHost(url);
  if (host === undefined) return [];
  return [
    {
      level: "warning",
      message: `The connection to the database at ${host} is not encrypted`,
      advice: "Add sslmode=verify-full to the URL, or sslmode=disable if nobody else can reach the network in between.",
    },
  ];
}

// Parameters that decide on TLS. `ssl` is one of the package `pg`.
const tlsParameters = ["sslmode", "ssl", "sslrootcert", "sslcert", "sslkey"];

function unencryptedHost(url: string): string | undefined {
  const parsed = URL.parse(url);
  const [, engine] = /^(postgres|mariadb|mysql)(?:ql)?:$/.exec(parsed?.protocol ?? "") ?? [];
  if (parsed === null || engine === undefined) return undefined;
  const { hostname, searchParams } = parsed;
  const host = searchParams.get("host") ?? hostname;
  const isLocal = host === "" || /^(?:\/|%2f)/i.test(host) || ConfigurationInternals.isLoopback(host);
  if (isLocal || searchParams.has("socket")) return undefined;
  // The package `pg` reads PGSSLMODE if the URL says nothing.
  const isDecided = tlsParameters.some((name) => searchParams.has(name));
  return isDecided || (engine === "postgres" && process.env["PGSSLMODE"] !== undefined) ? undefined : host;
}
