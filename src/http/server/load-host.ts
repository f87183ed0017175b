import type { Host } from "./host.ts";

/** True on Bun, where `Bun.serve` takes the place of `node:http`. */
export const isBun: boolean = process.versions["bun"] !== undefined;

/** Loads the host of the runtime. */
export async function loadHost(): Promise<Host> {
  return isBun ? (await import("./bun/server.ts")).bun : (await import("./node/server.ts")).node;
}
