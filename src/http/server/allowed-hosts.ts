import { errors } from "../errors.ts";

const hostPattern = /^(?:\[[0-9a-f:.]{2,45}\]|[0-9a-z._-]{1,255})(?::\d{1,5})?$/i;

/** Host names that a server answers (`ALLOWED_HOSTS`). Checks `Host` headers. */
export class AllowedHosts {
  readonly #names: ReadonlySet<string>;
  readonly #suffixes: readonly string[];
  #lastAllowed: string | undefined;

  /**
   * @param list names without port, separated by commas; `*.example.com` matches all names below `example.com`. An empty
   *   list allows all names.
   */
  constructor(list: string) {
    const entries = list
      .split(",")
      .map((entry) => entry.trim().toLowerCase())
      .filter((entry) => entry !== "");
    this.#names = new Set(entries.filter((entry) => !entry.startsWith("*.")));
    this.#suffixes = entries.filter((entry) => entry.startsWith("*.")).map((entry) => entry.slice(1));
  }

  /**
   * Checks a `Host` header. The local address of the connection is always allowed: load balancers send it in health checks,
   * and DNS rebinding cannot produce it.
   *
   * @param connection `localAddress` is read only if the list does not allow the name, because it costs a system call
   * @throws E_REQUEST_MALFORMED, E_HOST_NOT_ALLOWED
   */
  check(hostHeader: string, connection: { readonly localAddress?: string | undefined }): void {
    // Nearly all requests have the same host: compare with the last one before parsing.
    if (hostHeader === this.#lastAllowed) return;
    if (!hostPattern.test(hostHeader) || !URL.canParse(`http://${hostHeader}`))
      throw errors.E_REQUEST_MALFORMED("has a Host that is no host name with an optional port");
    const name = hostHeader.replace(/:\d+$/, "").toLowerCase();
    if (!this.#allows(name)) {
      const { localAddress } = connection;
      if (localAddress !== undefined && name.replace(/^\[|\]$/g, "") === localAddress.replace(/^::ffff:/, "")) return;
      throw errors.E_HOST_NOT_ALLOWED(name);
    }
    this.#lastAllowed = hostHeader;
  }

  #allows(name: string): boolean {
    if (this.#names.size === 0 && this.#suffixes.length === 0) return true;
    const nameWithoutDot = name.endsWith(".") ? name.slice(0, -1) : name;
    return this.#names.has(nameWithoutDot) || this.#suffixes.some((suffix) => nameWithoutDot.endsWith(suffix));
  }
}

/** Returns the reason why a list is invalid; `undefined` for a valid list. */
export function allowedHostsError(list: string): string | undefined {
  const isValid = list
    .split(",")
    .map((entry) => entry.trim())
    .every((entry) => entry === "" || /^(?:\*\.)?[a-z\d._-]+$|^\[[\da-f:.]+\]$/i.test(entry));
  return isValid ? undefined : "must list host names, such as example.com or *.example.com";
}
