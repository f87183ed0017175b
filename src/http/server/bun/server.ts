import { Time } from "../../../time/index.ts";
import { plainServerError } from "../exchange.ts";
import type { Host, RunningServer, ServerDefinition } from "../host.ts";
import type { Limits } from "../limits.ts";
import { listen } from "../listen.ts";
import { readKeys } from "../tls-keys.ts";
import { bunApi, type BunServer, type ServeOptions } from "./api.ts";
import { makeListener } from "./listener.ts";

/** `Bun.serve`. What it cannot do of what `node:http` can is in docs/guide/bun.md. */
export const bun: Host = { name: "Bun.serve", start };

async function start({ address, limits, tls, ...definition }: ServerDefinition): Promise<RunningServer> {
  const idle = idleSeconds(limits);
  const keys = tls === undefined ? {} : { tls: readKeys(tls) };
  const options: ServeOptions = {
    ...(address.socketPath === undefined
      ? { hostname: address.host, port: address.port }
      : { unix: address.socketPath }),
    ...keys,
    idleTimeout: idle,
    // Ours to check, because what Bun answers says nothing to people.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // Workers listen side by side, and the system spreads connections over them; all else must have the port alone.
    reusePort: process.getBuiltinModule("node:cluster").isWorker,
    error: () => lastAnswer.clone(),
    fetch: makeListener(definition, {
      maxHeaders: limits.maxHeaders,
      hosts: definition.state.hosts,
      connection: everyAddress.includes(address.host) ? {} : { localAddress: address.host },
      idleTimeoutSeconds: idle,
      isSecure: tls !== undefined,
    }),
  };
  let server: BunServer | undefined;
  await listen(address, async () => {
    server = bunApi().serve(options);
  });
  return {
    address: { ...address, port: server?.port ?? address.port },
    stop: async () => {
      const cancel = Time.after(limits.drainTimeoutMs, () => void server?.stop(true));
      await server?.stop();
      cancel();
    },
  };
}

const everyAddress: readonly string[] = ["0.0.0.0", "::"];

/** Bun knows one limit for clients that do nothing, whether they have read their answer or not: 1 to 255 s. */
function idleSeconds({ keepAliveMs, stallTimeoutMs }: Limits): number {
  return Math.min(255, Math.max(1, Math.ceil(Math.max(keepAliveMs, stallTimeoutMs) / 1000)));
}

/** Only sent when Bun cannot send what it was given: all else is answered before it gets here. */
const lastAnswer = plainServerError.toStandard();
