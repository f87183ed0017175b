import type { ConfigurationInternals } from "../../config/index.ts";
import { hostNameOf } from "../../config/internal.ts";
import { errors } from "../errors.ts";

const hostPattern = /^(?:\[[0-9a-f:.]{2,45}\]|[0-9a-z._-]{1,255})(?::\d{1,5})?$/i;

/** Host names that a server answers (`ALLOWED_HOSTS`). Checks `Host` headers. */
export class AllowedHosts {
  readonly #matches: ConfigurationInternals.HostMatcher;
  #lastAllowed: string | undefined;

  constructor(matches: ConfigurationInternals.HostMatcher) {
    this.#matches = matches;
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
    const name = hostNameOf(hostHeader);
    if (!this.#matches(name)) {
      const { localAddress } = connection;
      if (localAddress !== undefined && name.replace(/^\[|\]$/g, "") === localAddress.replace(/^::ffff:/, "")) return;
      throw errors.E_HOST_NOT_ALLOWED(name);
    }
    // A copy: the header may be a substring that keeps a whole head in memory.
    this.#lastAllowed = ` ${hostHeader}`.slice(1);
  }
}
