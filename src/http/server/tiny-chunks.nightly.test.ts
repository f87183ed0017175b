// CPU time and memory of bodies in chunks of any size, compared with plain `node:http` and `node:http2`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { after, before, describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { find } from "../../web/csrf/csrf.ts";
import { csrf } from "../../web/middleware/csrf.ts";
import { session } from "../../web/middleware/session.ts";
import { Response } from "../message/response.ts";
import { choose, get, post } from "../router/route.ts";
import { type Answer, requests, router, type Sent, storage } from "./chunk-client.test.ts";
import { certificate, key, type Live, live, writeKeyPair } from "./live.test.ts";

const bodyBytes = 1024 * 1024;
const maxRatio = 3;
const maxMemoryMib = 4;
/** Milliseconds of CPU time at which a body is cheap in any case: in large chunks, its text costs more than to receive it. */
const cheapMs = 15;
const attackMs = 15_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Source of a client in a process of its own, so that its CPU time is not counted. */
const clientSource = `
  const client = await import(${JSON.stringify(import.meta.resolve("./chunk-client.test.ts"))});
  process.on("message", async ({ name, args }) => process.send({ result: await client[name](...args) }));
  process.send("ready");`;

/** Client in another process. */
interface Client extends Disposable {
  /** Calls a function of `chunk-client.test.ts` in the process. */
  readonly call: <T>(name: string, ...args: readonly unknown[]) => Promise<T>;
}

async function startClient(): Promise<Client> {
  const flags = ["--conditions=@limmat/source", "--input-type=module", "--eval", clientSource];
  const child = spawn(process.execPath, flags, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await once(child, "message");
  return {
    call: async (name, ...args) => {
      child.send({ name, args });
      const [{ result }] = (await once(child, "message")) as [{ result: never }];
      return result;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** Does with a body what the routes of the same path promise: saves it as a file, computes its checksum, or reads it. */
const plainListener: RequestListener = async (incoming, outgoing) => {
  if (incoming.url === "/upload") {
    const folder = await mkdtemp(join(tmpdir(), "limmat-"));
    await pipeline(incoming, createWriteStream(join(folder, "file")));
    await rm(folder, { recursive: true });
    outgoing.end("1");
    return;
  }
  const hash = incoming.url === "/storage" ? createHash("sha256") : undefined;
  let size = 0;
  incoming.on("data", (chunk: Buffer) => {
    size += chunk.length;
    hash?.update(chunk);
  });
  incoming.on("end", () => outgoing.end(hash?.digest("hex") ?? String(size)));
};

describe("a body of 1 MiB", () => {
  let client: Client;
  let folder: string;
  const plain = createServer(plainListener);
  let plainHttp2: Http2SecureServer;
  let server: Live;
  let secure: Live;

  before(async () => {
    await storage.start({ services: [] });
    folder = await mkdtemp(join(tmpdir(), "limmat-"));
    server = await live({ router });
    secure = await live({ router }, await writeKeyPair(folder));
    plainHttp2 = createSecureServer({ cert: certificate, key }, plainListener as never);
    await once(plain.listen(0, "127.0.0.1"), "listening");
    await once(plainHttp2.listen(0, "127.0.0.1"), "listening");
    client = await startClient();
  });
  after(async () => {
    client[Symbol.dispose]();
    plain.close();
    plainHttp2.close();
    await server[Symbol.asyncDispose]();
    await secure[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const send = (port: number, isHttp2: boolean, sent: Sent, size: number, count = 1): Promise<Answer> =>
    client.call("sendTimes", count, port, isHttp2, sent, size);
  /** Returns the CPU time of the process for a number of requests, one after the other, in milliseconds. */
  const cpuOf = async (...request: Parameters<typeof send>): Promise<number> => {
    collectGarbage();
    const start = process.cpuUsage();
    await send(...request);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  /** Returns the growth of the memory of the process during a request, beyond the size of the body, in MiB. */
  const memoryOf = async (...request: Parameters<typeof send>): Promise<number> => {
    collectGarbage();
    const startBytes = process.memoryUsage.rss();
    let peak = startBytes;
    const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 2);
    await send(...request);
    clearInterval(sampling);
    return (peak - startBytes - bodyBytes) / 2 ** 20;
  };

  for (const [protocol, isHttp2] of [
    ["HTTP/1.1", false],
    ["HTTP/2", true],
  ] as const) {
    for (const size of [1, 2, 5, 8, 64, 1024, 16_384, ...(isHttp2 ? [] : [65_536])]) {
      test(`costs at most ${maxRatio} times the CPU time of plain Node over ${protocol} in chunks of ${size}`, async (t) => {
        const plainPort = ((isHttp2 ? plainHttp2 : plain).address() as AddressInfo).port;
        const { port } = isHttp2 ? secure : server;
        // A body in large chunks takes a millisecond or two. The timers of the process are no part of several.
        const count = size < 64 ? 1 : 10;
        for (const sent of requests(bodyBytes - 200)) {
          for (const warmed of [plainPort, port]) await send(warmed, isHttp2, sent, 16_384, 10);
          const [plainMs, ourMs, ratios, memory]: number[][] = [[], [], [], []];
          for (let round = 0; round < 5; round++) {
            const reference = await cpuOf(plainPort, isHttp2, sent, size, count);
            const cost = await cpuOf(port, isHttp2, sent, size, count);
            plainMs?.push(reference / count);
            ourMs?.push(cost / count);
            ratios?.push(cost / reference);
          }
          for (let round = 0; round < 3; round++) memory?.push(await memoryOf(port, isHttp2, sent, size));
          const [status] = await send(port, isHttp2, sent, size);
          const [plainMedian = 0, ourMedian = 0, ratio = 0, mib = 0] = [plainMs, ourMs, ratios, memory].map(
            (numbers = []) => median(numbers),
          );
          t.diagnostic(
            `${sent.path}: ${status}, ${ourMedian.toFixed(1)} ms instead of ${plainMedian.toFixed(1)} ms (${ratio.toFixed(2)}), ${mib.toFixed(1)} MiB`,
          );
          assert.ok(ratio <= maxRatio || ourMedian <= cheapMs, `${sent.path}: ${ratio} times`);
          assert.ok(mib <= maxMemoryMib, `${sent.path}: ${mib} MiB`);
        }
      });
    }
  }
});

test(`forms in chunks of one byte, 4 Mbit/s each, raise the latency of others to ${maxRatio} times at most`, async (t) => {
  const login = choose(
    [get("/login", (request) => Response.text(find(request))), post("/login", () => Response.text(""))],
    { middlewares: [session(), csrf()] },
  );
  await using server = await live({ router: choose([login, get("/", () => Response.text("ok"))]) }, [
    ["CHECK_CSRF", "true"],
  ]);
  using attacker = await startClient();
  using other = await startClient();
  const cookie = (await fetch(`http://127.0.0.1:${server.port}/login`)).headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const latency = (): Promise<number> => other.call("medianLatency", server.port, 1000);
  await latency();
  const idleMs = await latency();
  for (const header of ["", `Cookie: ${cookie}\r\n`]) {
    const [attackedMs, answers] = await Promise.all([
      latency(),
      attacker.call<object>("flood", server.port, header, attackMs),
    ]);
    t.diagnostic(`${attackedMs.toFixed(2)} ms instead of ${idleMs.toFixed(2)} ms, answers ${JSON.stringify(answers)}`);
    assert.ok(attackedMs <= maxRatio * idleMs, `${attackedMs} ms`);
  }
});
