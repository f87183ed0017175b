// Costs of a body in tiny chunks, by counts: a chunk must cost nothing but its parsing.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { memory } from "../../services/storage/index.ts";
import { bodyLimit } from "../../web/middleware/limits.ts";
import { type Clock, systemClock } from "../../time/clock.ts";
import { TimeInternals } from "../../time/index.ts";
import type { Request } from "../message/request.ts";
import { Response } from "../message/response.ts";
import { choose, post } from "../router/route.ts";
import { certificate, key, type Live, live, notOnBun, statusOf } from "./live.test.ts";

const storage = memory();
const count = async (chunks: AsyncIterable<unknown>): Promise<number> => {
  let number = 0;
  for await (const _chunk of chunks) number++;
  return number;
};
const chunksOfParts = async (request: Request): Promise<number> => {
  let number = 0;
  for await (const part of request.parts()) number += part.kind === "file" ? await count(part) : 1;
  return number;
};
const chunksAfterFields = async (request: Request): Promise<number> => {
  await request.fieldsBeforeFiles();
  return count(request.body);
};

// Each route answers the number of chunks that it saw, or 1.
const router = choose(
  [
    post("/raw", async ({ body }) => Response.text(String(await count(body)))),
    post("/parts", async (request) => Response.text(String(await chunksOfParts(request)))),
    post("/rewound", async (request) => Response.text(String(await chunksAfterFields(request)))),
    post("/storage", async ({ body }) => {
      const { size } = await storage.put(body);
      return Response.text(size > 0 ? "1" : "0");
    }),
    post("/upload", (request) => request.upload(({ files }) => Response.text(String(files.length)))),
    post("/json", async (request) => Response.text(typeof (await request.json()) === "string" ? "1" : "0")),
    post("/form", async (request) => Response.text(String((await request.form()).length))),
    post("/later", async (request) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return Response.text(String(await count(request.body)));
    }),
  ],
  { middlewares: [bodyLimit(10_000_000)] },
);

interface Sent {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** Returns requests of every kind, with a content of this size. */
function requests(size: number): readonly Sent[] {
  const text = "a".repeat(size);
  const part = (header: string): string =>
    `--x\r\nContent-Disposition: form-data; name="a"${header}\r\n\r\n${text}\r\n--x--\r\n`;
  const multipart = "multipart/form-data; boundary=x";
  return [
    { path: "/raw", type: "text/plain", body: text },
    { path: "/storage", type: "text/plain", body: text },
    { path: "/later", type: "text/plain", body: text },
    { path: "/parts", type: multipart, body: part('; filename="f"') },
    { path: "/upload", type: multipart, body: part('; filename="f"') },
    { path: "/rewound", type: multipart, body: part("") },
    { path: "/json", type: "application/json", body: JSON.stringify(text) },
    { path: "/form", type: "application/x-www-form-urlencoded", body: text },
  ];
}

const piecesOf = (body: string, size: number): readonly string[] =>
  Array.from({ length: Math.ceil(body.length / size) }, (_, at) => body.slice(at * size, (at + 1) * size));

/** Sends a request in chunks of this size, all in one write, over HTTP/1.1. Returns status and text of the response. */
function send1(server: Live, isSecure: boolean, { path, type, body }: Sent, size: number): Promise<[number, string]> {
  const chunks = piecesOf(body, size).map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
  const head = [`POST ${path} HTTP/1.1`, "Host: localhost", `Content-Type: ${type}`, "Transfer-Encoding: chunked"];
  const bytes = `${[...head, "Connection: close"].join("\r\n")}\r\n\r\n${chunks.join("")}0\r\n\r\n`;
  return new Promise((resolve) => {
    const { port } = server;
    const socket = isSecure ? connectTls({ port, host: "localhost", ca: certificate }) : connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
    socket.on("error", () => {});
    socket.on("close", () => resolve([statusOf(answer), answer.split("\r\n\r\n")[1] ?? ""]));
    socket.write(bytes);
  });
}

/** Formats a frame of HTTP/2 (RFC 9113 §4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Sends a request in DATA frames of this size, all in one write, over HTTP/2. `node:http2` would merge them. */
function send2(server: Live, { path, type, body }: Sent, size: number): Promise<[number, string]> {
  const literal = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
  const header = (name: string, value: string): Buffer =>
    Buffer.concat([Buffer.from([0]), literal(name), literal(value)]);
  const headers = Buffer.concat([
    header(":method", "POST"),
    header(":scheme", "https"),
    header(":authority", "localhost"),
    header(":path", path),
    header("content-type", type),
  ]);
  const [settings, endHeaders, endStream] = [frame(4, 0, 0, Buffer.alloc(0)), 4, 1];
  const data = piecesOf(body, size).map((piece) => frame(0, 0, 1, Buffer.from(piece)));
  return new Promise((resolve) => {
    const socket = connectTls({ port: server.port, host: "localhost", ca: certificate, ALPNProtocols: ["h2"] });
    let received = Buffer.alloc(0);
    let status = 0;
    let text = "";
    let isFirst = true;
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
        const [length, kind, flags] = [received.readUIntBE(0, 3), received.readUInt8(3), received.readUInt8(4)];
        const payload = received.subarray(9, 9 + length);
        received = received.subarray(9 + length);
        // The first field of the response is its status: from the static table (RFC 7541, appendix A), or a literal.
        if (kind === 1 && isFirst) {
          isFirst = false;
          status = payload[0] === 0x88 ? 200 : payload[0] === 0x8c ? 400 : -1;
        }
        if (kind === 0) text += payload.toString("latin1");
        // A reset, kind 3, asks the client to send no more.
        if (kind === 3 || (kind <= 1 && (flags & endStream) !== 0)) socket.destroy();
      }
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve([status, text]));
    socket.write(
      Buffer.concat([
        Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        settings,
        frame(1, endHeaders, 1, headers),
        ...data,
        frame(0, endStream, 1, Buffer.alloc(0)),
      ]),
    );
  });
}

describe("a body in tiny chunks", () => {
  let plain: Live;
  let secure: Live;
  let folder: string;
  before(async () => {
    await storage.start({ services: [] });
    folder = await mkdtemp(join(tmpdir(), "limmat-"));
    await writeFile(join(folder, "cert.pem"), certificate);
    await writeFile(join(folder, "key.pem"), key);
    plain = await live({ router });
    secure = await live({ router }, [
      ["TLS_CERT", join(folder, "cert.pem")],
      ["TLS_KEY", join(folder, "key.pem")],
    ]);
  });
  after(async () => {
    await plain[Symbol.asyncDispose]();
    await secure[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const protocols: readonly (readonly [
    name: string,
    options: object,
    send: (sent: Sent, size: number) => Promise<[number, string]>,
  ])[] = [
    ["HTTP/1.1", {}, (sent, size) => send1(plain, false, sent, size)],
    ["HTTP/1.1 over TLS", {}, (sent, size) => send1(secure, true, sent, size)],
    ["HTTP/2", notOnBun("Bun.serve speaks HTTP/1.1 alone"), (sent, size) => send2(secure, sent, size)],
  ];
  for (const [protocol, options, send] of protocols) {
    test(`reaches the handler in few chunks over ${protocol}`, options, async () => {
      for (const size of [1, 3, 100]) {
        const check = async (sent: Sent): Promise<void> => {
          const [status, text] = await send(sent, size);
          assert.equal(status, 200, `${sent.path} in chunks of ${size}`);
          const chunks = Number(text);
          assert.ok(chunks >= 1 && chunks <= 16, `${sent.path} in chunks of ${size}: ${text}`);
        };
        await Promise.all(requests(15_000).map(check));
      }
    });

    test(
      `is refused with 400 over ${protocol} once it has more than 16,384 chunks of less than 4 bytes`,
      options,
      async () => {
        const expectRefusal = async (sent: Sent): Promise<void> => {
          const [status, text] = await send(sent, 1);
          assert.equal(status, 400, sent.path);
          assert.match(text, /less than 4 bytes/);
        };
        await Promise.all(requests(40_000).map(expectRefusal));
        for (const sent of requests(60_000)) assert.equal((await send(sent, 4))[0], 200, sent.path);
      },
    );
  }

  test("needs one timer, however many chunks arrive one by one", async () => {
    const timers: number[] = [];
    const noting: Clock["after"] = (ms, ...rest) => {
      timers.push(ms);
      return systemClock.after(ms, ...rest);
    };
    const restore = TimeInternals.useClock({ ...systemClock, after: noting });
    try {
      const head = "POST /raw HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300\r\nConnection: close\r\n\r\n";
      const answer = await plain.talk(head, ...Array<string>(300).fill("a"));
      assert.match(answer, /^HTTP\/1\.1 200 /);
    } finally {
      restore();
    }
    // The timers of the load shedder are shorter, and those of idle connections are one second.
    assert.ok(timers.filter((ms) => ms > 1000).length <= 1, String(timers));
  });
});
