// Messages and their framing, hosts and proxies, limits, ranges and caches.
import assert from "node:assert/strict";
import { Web } from "limmat";
import { type Advisory, advisories, inChunks } from "./advisories.ts";
import { exchange, isNet } from "../wire.ts";

const tell: Web.Handler = async (request) => {
  await request.bytes();
  const { headers, ip, scheme, url } = request;
  return Web.Response.json({ headers: [...headers], ip, scheme, url: url.href });
};

interface Told {
  readonly headers: readonly (readonly [string, string])[];
  readonly ip: string;
  readonly scheme: string;
  readonly url: string;
}
const told = (body: string): Told => JSON.parse(body) as Told;

const readText: Web.Handler = async (request) => Web.Response.text(await request.text());
const measure: Web.Handler = async (request) => {
  let size = 0;
  for await (const chunk of request.body) size += chunk.byteLength;
  return Web.Response.text(String(size));
};
const small = Web.choose(
  [Web.post("/read", readText), Web.post("/stream", measure), Web.post("/ignored", () => Web.Response.text("ignored"))],
  { scope: "/small", middlewares: [Web.Middleware.bodyLimit(1000)] },
);

const routes = [Web.any("/tell", tell), small];
const smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";

const rows: readonly Advisory[] = [
  [
    "CVE-2026-39805 (Bandit)",
    "a second Content-Length is believed",
    async ({ port, demo }) => {
      for (const second of ["0", "5", "46", "+5", "5, 5", "0x5"]) {
        const head = `POST /api/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: ${second}\r\n\r\n`;
        const got = await exchange(port, `${head}hello${smuggled}`);
        assert.deepEqual([got.statuses, got.isClosed], [[400], true], second);
      }
      assert.deepEqual([...demo.reached], []);
    },
  ],
  [
    "CVE-2026-39806 (Bandit)",
    "lines behind a chunked body pass for headers, or for the next request",
    async ({ port, demo }) => {
      // The server on node:net refuses a Host in a trailer.
      const trailers = `${isNet ? "" : "Host: evil\r\n"}X-Role: admin\r\nX-Forwarded-For: 1.2.3.4\r\nCookie: _session=x\r\n`;
      const head = "POST /tell HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTrailer: X-Role\r\n\r\n";
      const last = "GET /api/echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
      const got = await exchange(port, `${head}${inChunks("hello", 2, trailers)}${last}`);
      assert.deepEqual(got.statuses, [200, 405]);
      const names = told(got.answers[0]?.body ?? "").headers.map(([name]) => name);
      assert.deepEqual(names, ["host", "transfer-encoding", "trailer"]);
      for (const framing of ["Content-Length: 99", "Transfer-Encoding: chunked"]) {
        const again = await exchange(port, `${head}${inChunks("hello", 2, `${framing}\r\n`)}${smuggled}`);
        assert.ok(again.statuses.length === 1 && again.isClosed, framing);
      }
      const broken = await exchange(port, `${head}${inChunks("hello", 5).slice(0, -2)}GET /smuggled HTTP/1.1\r\n\r\n`);
      assert.ok(broken.statuses.length <= 2 && broken.isClosed, String(broken.statuses));
      assert.deepEqual([...demo.reached], []);
    },
  ],
  [
    "CVE-2026-34835 (Rack)",
    "a Host may hold characters that no host has",
    async ({ ask }) => {
      for (const host of [
        "a b",
        "a<b",
        'a"b',
        "a\\b",
        "a/b",
        "a?b",
        "a#b",
        "user@a",
        "a,b",
        "a:b",
        "a:1:2",
        "[::1",
        "a%00",
      ]) {
        assert.equal((await ask("GET /tell", { Host: host })).status, 400, host);
      }
    },
  ],
  [
    "CVE-2026-32762 (Rack)",
    "Forwarded is split at the wrong character, and tells another host or address",
    async ({ ask }) => {
      for (const value of ['for="1.2.3.4;host=evil"', "for=1.2.3.4;host=evil;proto=https", "host=evil, for=1.2.3.4"]) {
        const { ip, scheme, url } = told((await ask("GET /tell", { Forwarded: value })).body);
        assert.deepEqual([ip, scheme, url], ["127.0.0.1", "http", "http://localhost/tell"], value);
      }
    },
  ],
  [
    "GHSA-444r-cwp2-x5xf (Fastify)",
    "host and scheme are taken from anybody's X-Forwarded headers",
    async ({ ask }) => {
      const answer = await ask("GET /tell", {
        "X-Forwarded-For": "1.2.3.4",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Port": "443",
        "X-Real-IP": "1.2.3.4",
      });
      const { ip, scheme, url } = told(answer.body);
      assert.deepEqual([ip, scheme, url], ["127.0.0.1", "http", "http://localhost/tell"]);
    },
  ],
  [
    "CVE-2026-40073 (SvelteKit), 605c7056, db05b96d, fa5f9bfc (Hono)",
    "the limit of a body holds for what the header claims, not for what comes",
    async ({ ask, port }) => {
      const chunked = { "Transfer-Encoding": "chunked" };
      for (const path of ["/small/read", "/small/stream"]) {
        assert.equal((await ask(`POST ${path}`, {}, "x".repeat(1000))).status, 200);
        assert.equal((await ask(`POST ${path}`, chunked, inChunks("x".repeat(1000), 7))).status, 200);
        assert.equal((await ask(`POST ${path}`, {}, "x".repeat(1001))).status, 413);
        assert.equal((await ask(`POST ${path}`, chunked, inChunks("x".repeat(1001), 7))).status, 413);
        // A length below the real one: the rest is another request, which is malformed.
        const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\n`;
        const more = await exchange(port, head + "x".repeat(5000));
        assert.deepEqual([more.statuses[0], more.answers[0]?.body.length, more.isClosed], [200, 1, true]);
        // Length and coding together: the request is refused.
        const both = { ...chunked, "Content-Length": "1" };
        assert.equal((await ask(`POST ${path}`, both, inChunks("x".repeat(5000), 1000))).status, 400);
      }
    },
  ],
  [
    "CVE-2026-21710 (Node)",
    "a header called __proto__ ends the process",
    async ({ ask }) => {
      for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "__defineGetter__"]) {
        const { headers } = told((await ask("GET /tell", { [name]: ["a", "b"] })).body);
        assert.ok(
          headers.some(([key]) => key === name.toLowerCase()),
          name,
        );
        assert.equal((await ask("GET /items", { [name]: "a" })).status, 200);
      }
    },
  ],
  [
    "CVE-2025-29927 (Next.js)",
    "a header tells that the guards have run already",
    async ({ ask }) => {
      const guards = ["middleware", "src/middleware", "pages/_middleware", Array(5).fill("middleware").join(":")];
      for (const value of guards) {
        const headers = { "x-middleware-subrequest": value, "x-middleware-rewrite": "/", "x-middleware-next": "1" };
        assert.equal((await ask("POST /items", headers, "")).status, 403, value);
      }
    },
  ],
  [
    "CVE-2026-34826 (Rack)",
    "a thousand ranges make an answer many times as long as the file",
    async ({ ask }) => {
      for (const range of ["0-0", "0-", "-1", "0-7,2-5", "5-1"]) {
        const ranges = Array.from({ length: 500 }, () => range).join(",");
        const answer = await ask("GET /assets/open.txt", { Range: `bytes=${ranges}` });
        assert.ok([200, 206, 416].includes(answer.status), range);
        assert.ok(answer.status === 416 || answer.body.length <= "open to all".length, range);
        assert.doesNotMatch(answer.header("content-type") ?? "", /multipart/);
      }
    },
  ],
  [
    "12c51174, 568c2ecc (Hono)",
    "the page of one person is kept for others",
    async ({ ask, alice }) => {
      const cookie = alice.cookie;
      // A response that read a session is private. One that sets a session, or an error, is not stored.
      assert.match((await ask("GET /session/a", { Cookie: cookie })).header("cache-control") ?? "", /private|no-store/);
      for (const path of ["/items/new", "/session/a/b", "/nowhere"]) {
        assert.match((await ask(`GET ${path}`)).header("cache-control") ?? "", /no-store/, path);
      }
      const json = await ask("GET /items", { Accept: "application/json" });
      assert.match(json.header("vary") ?? "", /accept/i);
    },
  ],
];

advisories("flaws of HTTP servers and frameworks that are none of ours", rows, { routes });

advisories(
  "flaws that appear behind a proxy, and are none of ours",
  [
    [
      "CVE-2026-32762 (Rack), GHSA-444r-cwp2-x5xf (Fastify), Hono's forwarded addresses",
      "of a list the first entry is believed, which the client has made up",
      async ({ ask }) => {
        const answer = await ask("GET /tell", {
          "X-Forwarded-For": "6.6.6.6, 1.2.3.4",
          "X-Forwarded-Proto": "http, https",
          "X-Forwarded-Host": "evil.example",
          Forwarded: "for=6.6.6.6;host=evil.example",
        });
        const { ip, scheme, url } = told(answer.body);
        assert.deepEqual([ip, scheme, url], ["1.2.3.4", "https", "https://localhost/tell"]);
        for (const value of ["unknown", "1.2.3.4;evil", "<script>", "", "1.2.3.4.5", "a, "]) {
          assert.equal(told((await ask("GET /tell", { "X-Forwarded-For": value })).body).ip, "127.0.0.1", value);
        }
      },
    ],
  ],
  { routes, settings: [["TRUSTED_PROXIES", "127.0.0.1"]] },
);
