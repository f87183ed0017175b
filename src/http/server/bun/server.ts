import { TimeInternals } from "../../../time/index.ts";
import { plainServerError } from "../exchange.ts";
import type { Host, HostServer, ServerDefinition } from "../host.ts";
import type { Limits } from "../limits.ts";
import { listen } from "../listen.ts";
import { readKeys } from "../listen.ts";
import { bunApi, type BunServer, type ServeOptions } from "./api.ts";
import { makeListener } from "./listener.ts";

/** Host over `Bun.serve`. docs/guide/bun.md lists its differences from `node:http`. */
export const bun: Host = { name: "Bun.serve", start };

async function start({ address, limits, tls, ...definition }: ServerDefinition): Promise<HostServer> {
  const idleTimeoutSeconds = toIdleTimeoutSeconds(limits);
  const keys = tls === undefined ? {} : { tls: readKeys(tls) };
  const options: ServeOptions = {
    ...(address.socketPath === undefined
      ? { hostname: address.host, port: address.port }
      : { unix: address.socketPath }),
    ...keys,
    idleTimeout: idleTimeoutSeconds,
    // body.ts checks the size, and its error has a readable page.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // Workers of a cluster share the port, and the system distributes connections. Other processes need it exclusively.
    reusePort: process.getBuiltinModule("node:cluster").isWorker,
    error: () => fallbackResponse.clone(),
    fetch: makeListener(definition, {
      maxHeaders: limits.maxHeaders,
      allowedHosts: definition.state.allowedHosts,
      connection: everyAddress.includes(address.host) ? {} : { localAddress: address.host },
      idleTimeoutSeconds,
      isSecure: tls !== undefined,
    }),
  };
  let server: BunServer | undefined;
  await listen(address, async () => {
    server = bunApi().serve(options);
  });
  let stopped: Promise<void> | undefined;
  return {
    address: { ...address, port: server?.port ?? address.port },
    closeListener: async () => {
      stopped = server?.stop();
    },
    stop: async () => {
      const cancel = TimeInternals.after(limits.drainTimeoutMs, () => void server?.stop(true));
      await stopped;
      cancel();
    },
  };
}

const everyAddress: readonly string[] = ["0.0.0.0", "::"];

/** Returns the idle timeout, 1 to 255 s. Bun has one timeout for idle connections and for stalled responses. */
function toIdleTimeoutSeconds({ keepAliveMs, stallTimeoutMs }: Limits): number {
  return Math.min(255, Math.max(1, Math.ceil(Math.max(keepAliveMs, stallTimeoutMs) / 1000)));
}

/** Response sent if Bun cannot send the one that it was given. */
const fallbackResponse = plainServerError.toStandard();
