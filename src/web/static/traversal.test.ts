import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import * as fc from "fast-check";
import { Configuration } from "../../config/index.ts";
import { Log } from "../../log/index.ts";
import { isolate } from "../application/fetch.test.ts";
import { type HttpService, service } from "../application/service.ts";
import { staticFile } from "../middleware/static-file.ts";
import { Response } from "../../http/message/response.ts";
import { any, choose, get } from "../../http/router/route.ts";
import { isBun } from "../../http/server/live.test.ts";
import { rounds } from "../../../test/rounds.ts";

const canary = "canary-9d2e";
let root = "";
let http: HttpService;

isolate([
  ["PORT", "0"],
  ["HOST", "127.0.0.1"],
]);

before(async () => {
  root = mkdtempSync(join(tmpdir(), "limmat-traversal-"));
  mkdirSync(join(root, "a/b/public/sub/.git"), { recursive: true });
  mkdirSync(join(root, "a/b/public2"));
  for (const folder of ["", "a", "a/b", "a/b/public2", "a/b/public/sub/.git"]) {
    for (const name of ["secret.txt", ".env", "passwd"]) writeFileSync(join(root, folder, name), canary);
  }
  writeFileSync(join(root, "a/b/public/.env"), canary);
  writeFileSync(join(root, "a/b/public/open.txt"), "open");
  writeFileSync(join(root, "a/b/public/sub/open.txt"), "open");
  symlinkSync(root, join(root, "a/b/public/up"));
  symlinkSync(join(root, "secret.txt"), join(root, "a/b/public/sub/link.txt"));
  Log.configure({ reporters: [] });
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["PORT", "0"],
    ["HOST", "127.0.0.1"],
  ]);
  const router = choose([
    get("/guarded/*path", () => Response.text("guarded")),
    any("/*path", () => Response.empty(404)),
  ]);
  http = service({ router, middlewares: [staticFile({ directory: join(root, "a/b/public") })] });
  await http.start({ services: [] });
});
after(async () => {
  await http.stop();
  rmSync(root, { recursive: true });
});

/** Sends raw bytes on a new connection, and returns the response. */
function knock(target: string, headers = ""): Promise<string> {
  const { port } = http.address() ?? assert.fail();
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
    socket.once("error", reject).once("close", () => resolve(text));
    socket.write(
      Buffer.from(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`, "latin1"),
    );
  });
}

const statusOf = (answer: string): number => Number(answer.slice(9, 12));

/** Encodings of two dots and a slash from known attacks. */
const dots = [
  "..",
  "%2e%2e",
  "%2E.",
  ".%2e",
  "%252e%252e",
  "%c0%ae%c0%ae",
  "%e0%80%ae%e0%80%ae",
  "..%00",
  "...",
  "....",
  "..;",
  "%u002e%u002e",
  "..%20",
  "。。",
];
const slashes = [
  "/",
  "%2f",
  "%2F",
  "\\",
  "%5c",
  "%5C",
  "%252f",
  "%255c",
  "%c0%af",
  "%c1%9c",
  "//",
  "/./",
  "%e2%88%95",
  "%u2215",
];
const starts = ["/assets/", "/assets/sub/", "/", "/assets", "/assets//"];
const targets = ["secret.txt", ".env", "passwd", "public2/secret.txt", "etc/passwd"];

function* corpus(): Generator<string> {
  for (const start of starts) {
    for (const dot of dots) {
      for (const slash of slashes) {
        for (const depth of [1, 2, 3, 6])
          yield start + `${dot}${slash}`.repeat(depth) + targets[depth % targets.length];
      }
    }
  }
  for (const start of starts) {
    for (const target of targets) {
      const tails = ["", "/", "%00", "%00.css", "?x", "#x", ";.css", "%20", ".", "~", "::$DATA", "%0a", "%0d%0a"];
      for (const tail of tails) yield `${start}${target}${tail}`;
      for (const inner of [
        "up/",
        "up/a/",
        "up/../",
        "sub/.git/",
        "./",
        "sub/link.txt/../",
        "..public2/",
        "C:/",
        "file:///",
      ]) {
        yield `${start}${inner}${target}`;
      }
    }
  }
  yield* [
    "/assets/sub/link.txt",
    "/assets/up/secret.txt",
    "/assets/up",
    "/assets2/secret.txt",
    "/assets/../public2/secret.txt",
  ];
  yield* [
    `${root}/secret.txt`,
    `/assets/${root}/secret.txt`,
    `/assets${root}/secret.txt`,
    "/etc/passwd",
    "/assets//etc/passwd",
  ];
}

describe("static files over a socket", () => {
  test("never reveal files outside the directory or hidden files, with any path", async () => {
    let count = 0;
    const statuses = new Map<number, number>();
    const paths = [...new Set(corpus())];
    for (let at = 0; at < paths.length; at += 16) {
      const batch = paths.slice(at, at + 16);
      const answers = await Promise.all(batch.map((target) => knock(target)));
      for (const [index, answer] of answers.entries()) {
        assert.ok(!answer.includes(canary) && !answer.includes("root:"), batch[index] ?? "");
        statuses.set(statusOf(answer), (statuses.get(statusOf(answer)) ?? 0) + 1);
        count += 1;
      }
    }
    assert.deepEqual(
      [...statuses.keys()].toSorted((a, b) => a - b),
      // Bun reads a space in the target as the start of the protocol.
      isBun ? [400, 404, 505] : [400, 404],
      JSON.stringify([...statuses]),
    );
    assert.ok(count > 3000, String(count));
    assert.match(await knock("/assets/open.txt"), /\r\n\r\nopen$/);
  });

  test("never send more than the file holds, with any range", async () => {
    const number = fc.oneof(fc.nat({ max: 9 }).map(String), fc.constantFrom("", "9999999999", "-1", "x", " 1"));
    const range = fc.tuple(fc.constantFrom("bytes=", "bytes", "Bytes=", "items="), number, number);
    await fc.assert(
      fc.asyncProperty(range, async ([unit, from, to]) => {
        const answer = await knock("/assets/open.txt", `Range: ${unit}${from}-${to}\r\n`);
        const body = answer.slice(answer.indexOf("\r\n\r\n") + 4);
        assert.ok([200, 206, 416].includes(statusOf(answer)), answer);
        assert.ok(statusOf(answer) === 416 ? body === "" : "open".includes(body) && body !== "", answer);
      }),
      { numRuns: rounds(300) },
    );
  });
});
