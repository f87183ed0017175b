import { errors } from "../errors.ts";

const form = /^(?:\[[0-9a-f:.]{2,45}\]|[0-9a-z._-]{1,255})(?::\d{1,5})?$/i;

/** Which `Host` headers are right: those that name a host at all, and of these, when a list is given, those on it. */
export class Hosts {
  readonly #names: ReadonlySet<string>;
  readonly #suffixes: readonly string[];
  #last: string | undefined;

  /**
   * @param list names without port, separated by commas; `*.example.com` stands for all names below that one. Empty
   *   allows all.
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
   * Checks a header. A host that is the very address which the client connected to passes any list: probes of load
   * balancers send it, and no name can be made to mean it.
   *
   * @param connection its address is asked for only when it matters: the system has to be asked
   * @throws E_REQUEST_MALFORMED, E_HOST_NOT_ALLOWED
   */
  check(hostHeader: string, connection: { readonly localAddress?: string | undefined }): void {
    // The same host comes with nearly every request.
    if (hostHeader === this.#last) return;
    if (!form.test(hostHeader) || !URL.canParse(`http://${hostHeader}`))
      throw errors.E_REQUEST_MALFORMED("has a Host that is no host name with an optional port");
    const name = hostHeader.replace(/:\d+$/, "").toLowerCase();
    if (!this.#allows(name)) {
      const { localAddress: own } = connection;
      if (own !== undefined && name.replace(/^\[|\]$/g, "") === own.replace(/^::ffff:/, "")) return;
      throw errors.E_HOST_NOT_ALLOWED(name);
    }
    this.#last = hostHeader;
  }

  #allows(name: string): boolean {
    if (this.#names.size === 0 && this.#suffixes.length === 0) return true;
    const plain = name.endsWith(".") ? name.slice(0, -1) : name;
    return this.#names.has(plain) || this.#suffixes.some((suffix) => plain.endsWith(suffix));
  }
}

/** What is wrong with a list, or `undefined`. */
export function problemOfHosts(list: string): string | undefined {
  const isRight = list
    .split(",")
    .map((entry) => entry.trim())
    .every((entry) => entry === "" || /^(?:\*\.)?[a-z\d._-]+$|^\[[\da-f:.]+\]$/i.test(entry));
  return isRight ? undefined : "must list host names, such as example.com or *.example.com";
}
