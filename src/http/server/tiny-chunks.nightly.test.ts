// CPU time and memory of bodies in chunks of any size, compared with plain `node:http` and `node:http2`.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Answer, requests, router, type Sent, storage } from "./chunk-client.test.ts";
import { certificate, key, type Live, live, writeKeyPair } from "./live.test.ts";

const bodyBytes = 1024 * 1024;
const maxRatio = 3;
const maxMemoryBytes = 4 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Client in a process of its own, so that its CPU time is not counted. */
const clientSource = `
  const { send1, send2 } = await import(${JSON.stringify(import.meta.resolve("./chunk-client.test.ts"))});
  process.on("message", async ({ port, isHttp2, sent, size }) => {
    process.send(await (isHttp2 ? send2(port, sent, size) : send1(port, false, sent, size)));
  });
  process.send("ready");`;

/** Cost of one request to the server. */
interface Cost {
  readonly cpuMs: number;
  /** Growth of the memory of the process beyond the size of the body, and beyond what plain Node took before. */
  readonly memoryBytes: number;
  readonly status: number;
}

const countBytes: RequestListener = (incoming, outgoing) => {
  let size = 0;
  incoming.on("data", (chunk: Buffer) => (size += chunk.length)).on("end", () => outgoing.end(String(size)));
};

describe("a body of 1 MiB", () => {
  let client: ChildProcess;
  let folder: string;
  const plain = createServer(countBytes);
  let plainHttp2: Http2SecureServer;
  let server: Live;
  let secure: Live;

  before(async () => {
    await storage.start({ services: [] });
    folder = await mkdtemp(join(tmpdir(), "limmat-"));
    server = await live({ router });
    secure = await live({ router }, await writeKeyPair(folder));
    plainHttp2 = createSecureServer({ cert: certificate, key }, countBytes as never);
    await once(plain.listen(0, "127.0.0.1"), "listening");
    await once(plainHttp2.listen(0, "127.0.0.1"), "listening");
    const flags = ["--conditions=@limmat/source", "--input-type=module", "--eval", clientSource];
    client = spawn(process.execPath, flags, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    await once(client, "message");
  });
  after(async () => {
    client.kill();
    plain.close();
    plainHttp2.close();
    await server[Symbol.asyncDispose]();
    await secure[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Sends a request and returns its cost. */
  const measure = async (port: number, isHttp2: boolean, sent: Sent, size: number): Promise<Cost> => {
    collectGarbage();
    const [startBytes, cpu] = [process.memoryUsage().rss, process.cpuUsage()];
    let peak = startBytes;
    const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    client.send({ port, isHttp2, sent, size });
    const [[status]] = (await once(client, "message")) as [Answer];
    clearInterval(sampling);
    const { user, system } = process.cpuUsage(cpu);
    return { cpuMs: (user + system) / 1000, memoryBytes: peak - startBytes - bodyBytes, status };
  };
  /** Returns the lowest CPU time and the median growth of memory of several attempts, after others in large chunks. */
  const repeat = async (port: number, isHttp2: boolean, sent: Sent, size: number): Promise<Cost> => {
    for (let attempt = 0; attempt < 5; attempt++) await measure(port, isHttp2, sent, 16_384);
    const costs: Cost[] = [];
    for (let attempt = 0; attempt < 3; attempt++) costs.push(await measure(port, isHttp2, sent, size));
    return {
      cpuMs: Math.min(...costs.map(({ cpuMs }) => cpuMs)),
      memoryBytes: costs.map(({ memoryBytes }) => memoryBytes).sort((a, b) => a - b)[1] ?? Infinity,
      status: costs[0]?.status ?? 0,
    };
  };

  for (const [protocol, isHttp2] of [
    ["HTTP/1.1", false],
    ["HTTP/2", true],
  ] as const) {
    for (const size of [1, 2, 5, 8, 64, 1024, 16_384, ...(isHttp2 ? [] : [65_536])]) {
      test(`costs at most ${maxRatio} times the CPU time of plain Node over ${protocol} in chunks of ${size}`, async (t) => {
        const plainPort = ((isHttp2 ? plainHttp2 : plain).address() as AddressInfo).port;
        const { port } = isHttp2 ? secure : server;
        const all = requests(bodyBytes - 200);
        const reference = await repeat(plainPort, isHttp2, all[0] as Sent, size);
        for (const sent of all) {
          const cost = await repeat(port, isHttp2, sent, size);
          const ratio = cost.cpuMs / reference.cpuMs;
          t.diagnostic(
            `${sent.path}: ${cost.status}, ${cost.cpuMs.toFixed(1)} ms instead of ${reference.cpuMs.toFixed(1)} ms (${ratio.toFixed(2)}), ` +
              `${(cost.memoryBytes / 2 ** 20).toFixed(1)} instead of ${(reference.memoryBytes / 2 ** 20).toFixed(1)} MiB`,
          );
          // Bodies in large chunks take a few milliseconds, of which the response and the timers of the measurement are a part.
          assert.ok(cost.cpuMs <= maxRatio * Math.max(reference.cpuMs, 5), `${sent.path}: ${ratio} times`);
          assert.ok(cost.memoryBytes <= maxMemoryBytes, `${sent.path}: ${cost.memoryBytes} bytes`);
        }
      });
    }
  }
});
