import { Configuration, type ConfigurationField } from "../../config/index.ts";
import type { Host } from "./host.ts";

/** True on Bun, where `Bun.serve` takes the place of the servers of Node. */
export const isBun: boolean = process.versions["bun"] !== undefined;

/** Field that chooses the HTTP server on Node. */
export const serverField: ConfigurationField<"net" | "node"> = Configuration.oneOf("HTTP_SERVER", {
  description: "HTTP server on Node: net is limmat's own on node:net, node is node:http, which agents can instrument",
  values: ["net", "node"],
  default: "net",
});

/** Returns the name of the implementation. */
export function hostName(): string {
  if (isBun) return "Bun.serve";
  return Configuration.read(serverField) === "net" ? "node:net" : "node:http";
}

/** Loads the host of the runtime. */
export async function loadHost(): Promise<Host> {
  if (isBun) return (await import("./bun/server.ts")).bun;
  const isNet = Configuration.read(serverField) === "net";
  return isNet ? (await import("./net/server.ts")).net : (await import("./node/server.ts")).node;
}
