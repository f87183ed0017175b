// Shared by the tests of this folder: routes that read bodies, and a client that controls the chunks of its bodies. It contains no tests.
import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { memory } from "../../services/storage/index.ts";
import { bodyLimit } from "../../web/middleware/limits.ts";
import type { Request } from "../message/request.ts";
import { Response } from "../message/response.ts";
import { choose, post } from "../router/route.ts";
import { certificate, statusOf } from "./live.test.ts";

export const storage: ReturnType<typeof memory> = memory();
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
export const router: ReturnType<typeof choose> = choose(
  [
    post("/raw", async ({ body }) => Response.text(String(await count(body)))),
    post("/parts", async (request) => Response.text(String(await chunksOfParts(request)))),
    post("/rewound", async (request) => Response.text(String(await chunksAfterFields(request)))),
    post("/storage", async ({ body }) => {
      const { id, size } = await storage.put(body);
      await storage.delete(id);
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

/** Request that is sent in chunks. */
export interface Sent {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** Status and text of a response; over HTTP/2 also the frames of its stream: type, flags, and the code of a reset. */
export type Answer = readonly [status: number, text: string, frames?: readonly string[]];

/** Returns requests of every kind, with a content of this size. */
export function requests(size: number): readonly Sent[] {
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
export function send1(port: number, isSecure: boolean, { path, type, body }: Sent, size: number): Promise<Answer> {
  const chunks = piecesOf(body, size).map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
  const head = [`POST ${path} HTTP/1.1`, "Host: localhost", `Content-Type: ${type}`, "Transfer-Encoding: chunked"];
  const bytes = `${[...head, "Connection: close"].join("\r\n")}\r\n\r\n${chunks.join("")}0\r\n\r\n`;
  return new Promise((resolve) => {
    const socket = isSecure ? connectTls({ port, host: "localhost", ca: certificate }) : connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
    socket.on("error", () => {});
    socket.on("close", () => resolve([statusOf(answer), answer.split("\r\n\r\n")[1] ?? ""]));
    socket.write(bytes);
  });
}

/** Sends a request several times, one after the other. Returns the last answer. */
export async function sendTimes(
  times: number,
  port: number,
  isHttp2: boolean,
  sent: Sent,
  size: number,
): Promise<Answer> {
  let answer: Answer = [0, ""];
  for (let index = 0; index < times; index++) {
    answer = await (isHttp2 ? send2(port, sent, size) : send1(port, false, sent, size));
  }
  return answer;
}

/**
 * Sends multipart forms of 1 MiB in chunks of one byte to `/login` over four connections, 4 Mbit/s each, for some time.
 * Returns the number of answers by status; 0 is a form without one.
 */
export async function flood(port: number, header: string, ms: number): Promise<Readonly<Record<number, number>>> {
  const { type = "", body = "" } = requests(1024 * 1024).find(({ path }) => path === "/rewound") ?? {};
  const chunks = piecesOf(body, 1).map((byte) => `1\r\n${byte}\r\n`);
  const head = `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n${header}`;
  const bytes = Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks.join("")}0\r\n\r\n`);
  const answers: Record<number, number> = {};
  const end = performance.now() + ms;
  const sendOne = async (): Promise<void> => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    let sent = 0;
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
      socket.destroy();
    });
    const start = performance.now();
    const timer = setInterval(() => {
      const due = Math.floor((performance.now() - start) * 500);
      socket.write(bytes.subarray(sent, due));
      sent = due;
      if (performance.now() >= end) socket.destroy();
    }, 10);
    await once(socket, "close");
    clearInterval(timer);
    answers[statusOf(answer)] = (answers[statusOf(answer)] ?? 0) + 1;
  };
  const attack = async (): Promise<void> => {
    while (performance.now() < end) await sendOne();
  };
  await Promise.all([attack(), attack(), attack(), attack()]);
  return answers;
}

/** Returns the median time of a number of requests for `/`, one after the other with a pause of 5 ms, in milliseconds. */
export async function medianLatency(port: number, requestCount: number): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < requestCount; index++) {
    const start = performance.now();
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
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

/**
 * Sends a request in DATA frames of this size, all in one write, over HTTP/2. `node:http2` would merge them.
 *
 * @param awaitsReset true if the body does not end, so that the stream must be reset after the response
 */
export function send2(
  port: number,
  { path, type, body }: Sent,
  size: number,
  awaitsReset: boolean = false,
): Promise<Answer> {
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
  const data = piecesOf(body, size);
  return new Promise((resolve) => {
    const socket = connectTls({ port, host: "localhost", ca: certificate, ALPNProtocols: ["h2"] });
    let received = Buffer.alloc(0);
    let status = 0;
    let text = "";
    let isFirst = true;
    let sent = 0;
    const framesOfStream: string[] = [];
    // Windows of flow control: of the connection, and of the stream (RFC 9113 §5.2).
    const windows = [65_535, 65_535];
    const sendData = (): void => {
      const frames: Buffer[] = [];
      while (sent < data.length && Math.min(...windows) >= size) {
        const piece = Buffer.from(data[sent++] ?? "");
        windows.forEach((window, index) => (windows[index] = window - piece.length));
        frames.push(frame(0, sent === data.length && !awaitsReset ? endStream : 0, 1, piece));
      }
      if (frames.length > 0) socket.write(Buffer.concat(frames));
    };
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
        const [length, kind, flags] = [received.readUIntBE(0, 3), received.readUInt8(3), received.readUInt8(4)];
        const stream = received.readUInt32BE(5);
        const payload = received.subarray(9, 9 + length);
        received = received.subarray(9 + length);
        // The first field of the response is its status: from the static table (RFC 7541, appendix A), or a literal.
        if (kind === 1 && isFirst) {
          isFirst = false;
          status = payload[0] === 0x88 ? 200 : payload[0] === 0x8c ? 400 : -1;
        }
        if (kind === 8) {
          const index = stream === 0 ? 0 : 1;
          windows[index] = (windows[index] ?? 0) + payload.readUInt32BE(0);
          sendData();
        }
        if (kind === 0) text += payload.toString("latin1");
        const hasEnded = kind <= 1 && (flags & endStream) !== 0;
        if (stream === 1 && kind <= 3) {
          const names = ["DATA", "HEADERS", "PRIORITY", `RST_STREAM ${kind === 3 ? payload.readUInt32BE(0) : ""}`];
          framesOfStream.push(`${names[kind]}${hasEnded ? " END_STREAM" : ""}`);
        }
        // A reset, kind 3, asks the client to send no more.
        if (kind === 3 || (hasEnded && !awaitsReset)) socket.destroy();
      }
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve([status, text, framesOfStream]));
    socket.write(
      Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings, frame(1, endHeaders, 1, headers)]),
    );
    sendData();
  });
}
