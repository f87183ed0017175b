// Request smuggling (RFC 9112 §11.2): two parsers of one connection that see different boundaries between the same requests.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runDemo } from "../run-demo.ts";
import { exchange, pooled } from "../wire.ts";
import { type Mutation, mutations } from "./mutations.ts";

const running = runDemo();

const hidden = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
let count = 0;

/** Returns the fault of a mutation; `undefined` if it was refused and no later bytes were handled. */
async function finding(
  { name, fields }: Mutation,
  makeBody: (inner: string) => readonly [body: string, length: number],
): Promise<string | undefined> {
  const path = `/smuggled/${++count}`;
  const [body, length] = makeBody(hidden(path));
  const got = await exchange(
    running.port,
    `POST /api/echo HTTP/1.1\r\nHost: localhost\r\n${fields(length)}\r\n${body}${hidden(`${path}/behind`)}`,
  );
  const { reached } = running.demo;
  if (reached.has(path) || reached.has(`${path}/behind`)) return `${name}: a hidden request was served`;
  const statuses = got.answers.map(({ status }) => status).join();
  if (!["400", "501"].includes(statuses)) return `${name}: answered with ${statuses || JSON.stringify(got.raw)}`;
  return got.isClosed ? undefined : `${name}: the connection stays open`;
}

/** By its length it is one body, by its coding the body is empty. */
const endsEarlyByCoding = (inner: string): readonly [string, number] => {
  const body = `0\r\n\r\n${inner}`;
  return [body, body.length];
};

/** By its length the body ends before the hidden request, by its coding the request is a chunk of the body. */
const endsEarlyByLength = (inner: string): readonly [string, number] => {
  const size = `${inner.length.toString(16)}\r\n`;
  return [`${size}${inner}\r\n0\r\n\r\n`, size.length];
};

for (const [title, makeBody] of [
  ["a request hidden behind a length", endsEarlyByCoding],
  ["a request hidden behind a chunk", endsEarlyByLength],
] as const) {
  test(`${title} is never served, however the coding is spelt`, async () => {
    const found = await pooled([...mutations()], 16, (mutation) => finding(mutation, makeBody));
    assert.ok(found.length > 500);
    assert.deepEqual(
      found.filter((one) => one !== undefined),
      [],
    );
  });
}

test("a header that only resembles Transfer-Encoding is an ordinary header", async () => {
  const names = [
    "X-Transfer-Encoding",
    "Transfer__Encoding",
    "TransferEncoding",
    "Transfer-Encodin",
    "Content-Encodin",
  ];
  for (const name of names) {
    const path = `/smuggled/${++count}`;
    const got = await exchange(
      running.port,
      `POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n${name}: chunked\r\n\r\n0\r\n\r\n` +
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    assert.deepEqual(
      got.answers.map(({ body }) => body),
      ["0\r\n\r\n", "smuggled"],
      name,
    );
  }
});

test("a response always belongs to its request, however the bytes are split into packets", async () => {
  const paths = Array.from({ length: 20 }, (_, at) => `/api/path/${at}`);
  const requests = paths.map((path, at) =>
    at % 2 === 0
      ? `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
      : `POST /api/echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${path.length.toString(16)}\r\n${path}\r\n0\r\n\r\n`,
  );
  const text = `${requests.join("")}GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  for (const size of [1, 2, 7, 64, 1000]) {
    const got = await exchange(running.port, text, { piece: size });
    assert.equal(got.answers.length, 21, String(size));
    for (const [at, path] of paths.entries()) {
      const body = got.answers[at]?.body ?? "";
      assert.equal(at % 2 === 0 ? (JSON.parse(body) as string[])[0] : body, path);
    }
  }
});
