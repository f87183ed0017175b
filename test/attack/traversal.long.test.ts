// Directory traversal out of the public directory, through the whole application (OWASP WSTG-ATHZ-01).
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { canary, type Demo, makeDemo, publicFolder } from "./demo.ts";
import { exchange, pooled } from "./wire.ts";

const up = [
  "..",
  ".%2e",
  "%2e.",
  "%2e%2e",
  "%2E%2E",
  "%252e%252e",
  "%25252e%25252e",
  "%c0%ae%c0%ae",
  "%c0%2e%c0%2e",
  "%e0%80%ae%e0%80%ae",
  "%f0%80%80%ae%f0%80%80%ae",
  "%uff0e%uff0e",
  "%u002e%u002e",
  "%ef%bc%8e%ef%bc%8e",
  "..%00",
  "..%20",
  "..;",
  "..;x=y",
  "...",
  "....//",
  ".\\.",
  "..%0d%0a",
];
const separators = ["/", "%2f", "%2F", "\\", "%5c", "%255c", "%252f", "%c0%af", "%c1%9c", "%e0%80%af", "%u2215", "//"];
const goals = ["secret.txt", ".env", "site/secret.txt", "public2/secret.txt", "etc/passwd", "proc/self/environ"];

const names = ["secret.txt", ".env", ".htaccess", "config", "public2/secret.txt", "css/.hidden.css", "css/.git/config"];
const ends = ["", "/", "//", "%00", "%00.css", "%00.txt", ".", "%20", "::$DATA", "~", ".bak", ";.css", "?.css", "%0a"];
const detours = [
  "css/../",
  "css/../../",
  "css/..%2f",
  "./",
  "css/./../../",
  "up/",
  "up/site/",
  "up/site/public2/",
  "beside/",
  "loop/",
  "css/link.txt/",
  "open.txt/",
  "open.txt/../../",
  "css/app.css/../../../",
  "nothing/../../",
  "/",
  "//",
  "%2f",
  "file:///",
  "http://localhost/",
  "C:/",
  "c:\\",
  "\\\\localhost\\",
  "~/",
  "~root/",
];

/** Targets below a prefix that lead to a canary file if they are resolved. */
function* corpus(prefix: string): Generator<string> {
  const starts = [`${prefix}/`, `${prefix}/css/`, `${prefix}/nothing/`, prefix === "" ? "/." : prefix];
  for (const start of starts) {
    for (const dots of up) {
      for (const separator of separators) {
        for (const depth of [1, 3]) {
          yield start + `${dots}${separator}`.repeat(depth) + goals[depth % goals.length];
        }
      }
    }
    for (const name of names) {
      for (const end of ends) yield `${start}${name}${end}`;
      for (const detour of detours) yield `${start}${detour}${name}`;
    }
  }
  yield* ["up", "beside", "loop", "pipe", "css", "css/link.txt", "up/secret.txt", "beside/secret.txt"].map(
    (name) => `${prefix}/${name}`,
  );
  yield* ["2/secret.txt", ".bak/secret.txt", "%32/secret.txt", "%2ebak/secret.txt"].map((tail) => prefix + tail);
  yield* ["CON", "nul", "aux.css", "com1", "LPT1.txt", "css/prn", "a".repeat(300), "a/".repeat(500)].map(
    (name) => `${prefix}/${name}`,
  );
}

/** Returns unexpected responses: a status other than 400, 403 and 404, or content of a canary file. */
async function leak(port: number, target: string, fields = ""): Promise<string | undefined> {
  const head = `Host: localhost\r\nConnection: close\r\n${fields}`;
  const got = await exchange(port, `GET ${target} HTTP/1.1\r\n${head}\r\n`);
  const status = got.answers[0]?.status;
  if (got.raw.includes(canary)) return `${target}: the canary`;
  return status === 400 || status === 403 || status === 404 ? undefined : `${target}: ${status}`;
}

for (const prefix of ["/assets", ""]) {
  describe(`the public directory below ${prefix === "" ? "/" : prefix}`, () => {
    let demo: Demo;
    let port = 0;
    const folder = publicFolder();
    before(async () => {
      demo = makeDemo({ directory: folder.path, settings: [["PUBLIC_URI_PREFIX", prefix === "" ? "/" : prefix]] });
      port = await demo.start();
    });
    after(async () => {
      await demo.stop();
      folder[Symbol.dispose]();
      assert.deepEqual(demo.faults, []);
    });

    test("is not left by thousands of targets", async () => {
      const targets = [...new Set(corpus(prefix))];
      assert.ok(targets.length > 1400, String(targets.length));
      const leaks = await pooled(targets, 16, (target) => leak(port, target));
      assert.deepEqual(
        leaks.filter((one) => one !== undefined),
        [],
      );
    });

    test("serves its files, and links that stay in it", async () => {
      for (const [name, body] of [
        ["open.txt", "open to all"],
        ["inside.txt", "open to all"],
        ["css/app.css", "p { color: green }"],
        ["%6f%70en.txt", "open to all"],
      ] as const) {
        const got = await exchange(
          port,
          `GET ${prefix}/${name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        );
        assert.deepEqual([got.answers[0]?.status, got.answers[0]?.body], [200, body], name);
      }
    });

    test("does not serve a compressed file that is a link out of it", async () => {
      const directory = join(folder.path, "packed");
      mkdirSync(directory);
      for (const name of ["a.css", "b.css", "c.css"]) writeFileSync(join(directory, name), "plain");
      symlinkSync("../../../secret.txt", join(directory, "a.css.br"));
      symlinkSync("../pipe", join(directory, "b.css.gz"));
      mkdirSync(join(directory, "c.css.zst"));
      for (const name of ["a", "b", "c"]) {
        const head = "Host: localhost\r\nConnection: close\r\nAccept-Encoding: br, gzip, zstd\r\n";
        const got = await exchange(port, `GET ${prefix}/packed/${name}.css HTTP/1.1\r\n${head}\r\n`);
        assert.deepEqual([got.answers[0]?.status, got.answers[0]?.body], [200, "plain"]);
      }
    });

    test("answers GET and HEAD only, whatever the target", async () => {
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        const got = await exchange(
          port,
          `${method} ${prefix}/open.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        );
        assert.equal(got.answers[0]?.status, 405, method);
        assert.equal(got.answers[0]?.header("allow"), "GET, HEAD, OPTIONS");
      }
    });

    test("serves ranges within the file only, and the whole file for a thousand ranges", async () => {
      const many = Array.from({ length: 1000 }, (_, at) => `${at}-${at}`).join(",");
      const odd = [
        "bytes=5-1",
        "bytes=-0",
        "bytes=9999999999-",
        "bytes=a-b",
        "bytes=",
        "bytes",
        "lines=0-1",
        "bytes=-",
      ];
      for (const range of ["bytes=0-4", "bytes=-4", "bytes=3-", "bytes=0-99999", `bytes=${many}`, ...odd]) {
        const head = `Host: localhost\r\nConnection: close\r\nRange: ${range}\r\n`;
        const got = await exchange(port, `GET ${prefix}/open.txt HTTP/1.1\r\n${head}\r\n`);
        const [answer] = got.answers;
        assert.ok([200, 206, 416].includes(answer?.status ?? 0), `${range.slice(0, 30)}: ${answer?.status}`);
        assert.ok((answer?.body.length ?? 0) <= "open to all".length || answer?.status === 416, range.slice(0, 30));
        assert.doesNotMatch(answer?.header("content-type") ?? "", /multipart/);
      }
    });
  });
}
