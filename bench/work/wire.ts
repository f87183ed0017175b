import assert from "node:assert/strict";
import { provideCertificate } from "../harness/certificate.ts";
import { requestBytes, type Visitor } from "../harness/http.ts";
import { loadHttp2 } from "../harness/load-http2.ts";
import { load, loadOnShortConnections, type Loader } from "../harness/load.ts";
import { loadPipelined } from "../harness/load-pipelined.ts";
import { expectAnswer, expectJson, type Work } from "./work.ts";

async function prepareHello(visitor: Visitor, port: number): Promise<readonly Buffer[]> {
  expectJson(await visitor.ask("/hello/world"), { hello: "world" });
  expectJson(await visitor.ask("/hello/caf%C3%A9"), { hello: "café" });
  assert.equal((await visitor.ask("/missing")).status, 404);
  return [requestBytes(port, "/hello/world", { headers: { accept: "application/json" } })];
}

/** Creates a benchmark of the json application under other conditions. */
export const helloWork = (
  name: string,
  title: string,
  conditions: Pick<Work, "connections" | "isSecure" | "hasProcesses" | "reset"> & {
    readonly application?: string;
    readonly load?: Loader;
    readonly group?: Work["group"];
  },
): Work => ({ group: "wire", application: "json", status: 200, prepare: prepareHello, name, title, ...conditions });

const plaintextWork = (name: string, title: string, loader: Loader): Work => ({
  group: "wire",
  name,
  title,
  application: "plaintext",
  status: 200,
  load: loader,
  async prepare(visitor, port) {
    expectAnswer(await visitor.ask("/plaintext"), 200, "text/plain", "Hello, World!");
    assert.equal((await visitor.ask("/missing")).status, 404);
    return [requestBytes(port, "/plaintext", { headers: { accept: "text/plain" } })];
  },
});

const tls = { application: "tls", isSecure: true, reset: async () => provideCertificate() };

/** Benchmarks of connections and protocols, with responses that cost little. */
export const wireWorks: readonly Work[] = [
  plaintextWork("plaintext", "Plain text of 13 bytes", load),
  plaintextWork("pipelining", "The same, 16 requests at once on each connection (TechEmpower)", loadPipelined(16)),
  helloWork("short-connections", "JSON with a path parameter, a new connection after each 10 requests", {
    load: loadOnShortConnections(10),
  }),
  helloWork("connections-512", "JSON with a path parameter, 512 connections", { connections: 512 }),
  helloWork("connections-4096", "JSON with a path parameter, 4,096 connections", { connections: 4096 }),
  helloWork("tls", "JSON with a path parameter over TLS", tls),
  helloWork("tls-short", "The same, with a handshake after each 10 requests", {
    ...tls,
    load: loadOnShortConnections(10),
  }),
  helloWork("http2", "JSON with a path parameter over HTTP/2, 8 requests at once on each connection", {
    ...tls,
    load: loadHttp2,
  }),
  helloWork("processes", "JSON with a path parameter, two processes", {
    application: "processes",
    hasProcesses: true,
  }),
];
