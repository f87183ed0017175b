// Redirects, headers, cookies, markup, log lines, credentials.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Log, Web } from "limmat";
import { jsx } from "limmat/jsx-runtime";
import { type Advisory, advisories, type Stand } from "./advisories.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-log-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const files = Log.Reporters.file(folder);
const logged = Log.source("attacked");

const utf8 = (bytes: string): string => Buffer.from(bytes, "latin1").toString();

/** Returns a query parameter. */
const asked = (request: Web.Request, name: string): string => request.query.get(name) ?? "";

const routes = [
  Web.get("/cookie", (request) =>
    Web.Response.text("set").withCookie({
      name: asked(request, "name") || "a",
      value: asked(request, "value"),
      path: asked(request, "path") || "/",
      ...(asked(request, "domain") === "" ? {} : { domain: asked(request, "domain") }),
      sameSite: (asked(request, "site") || "Lax") as "Lax",
    }),
  ),
  Web.get("/jsx", (request) => {
    const data = JSON.parse(asked(request, "data")) as Record<string, unknown>;
    return Web.Response.html(jsx(asked(request, "element") || "p", data));
  }),
  Web.get("/log", (request) => {
    logged.info(`Somebody looked for ${asked(request, "text")}`, { text: asked(request, "text") });
    return Web.Response.text("logged");
  }),
  Web.choose([Web.get("/vault", () => Web.Response.text("inside"))], {
    middlewares: [Web.Middleware.basicAuth({ verify: { username: "ada", password: "secret" } })],
  }),
];

/** Sends a request that fails with an error of the framework: 500, no part of the attack, and one log entry. */
async function fails({ ask, demo }: Stand, target: string, code: string): Promise<void> {
  const answer = await ask(`GET ${target}`);
  assert.equal(answer.status, 500, target);
  assert.equal(answer.header("location") ?? answer.header("set-cookie") ?? answer.header("x-echo"), undefined, target);
  const [fault, ...others] = demo.faults.splice(0);
  assert.deepEqual([(fault?.fields.error as { code?: string } | undefined)?.code, others], [code, []], target);
}

const elsewhere = [
  ..."https://evil.example http:evil.example //evil.example ///evil.example \\\\evil.example /\\evil.example".split(
    " ",
  ),
  ..."\\/evil.example /\t/evil.example \t//evil.example javascript:alert(1) data:text/html,x evil.example".split(" "),
  ..."https:evil.example https:/evil.example HTTPS://evil.example ftp://evil.example @evil.example .evil.example".split(
    " ",
  ),
  "",
  " //evil.example",
  "\r\n//evil.example",
  "/\n/evil.example",
  "\0/",
  "?x",
  "#x",
  "..",
  "./a",
  "/a\r\nSet-Cookie: a=b",
];

const rows: readonly Advisory[] = [
  [
    "GHSA-9jcx, GHSA-2w69 (React Router)",
    "a redirect to what a visitor says leaves the site",
    async (stand) => {
      for (const to of elsewhere) {
        await fails(stand, `/api/redirect?to=${encodeURIComponent(to)}`, "E_REDIRECT_EXTERNAL");
      }
      for (const [to, location] of [
        ["/a//evil.example", "/a//evil.example"],
        ["/日本?a=b", "/%E6%97%A5%E6%9C%AC?a=b"],
        ["/a\u2028b", "/a%E2%80%A8b"],
        ["/%5cevil.example", "/%5cevil.example"],
        ["/a\\b", "/a%5Cb"],
      ] as const) {
        const answer = await stand.ask(`GET /api/redirect?to=${encodeURIComponent(to)}`);
        assert.deepEqual([answer.status, answer.header("location")], [303, location]);
        assert.equal(new URL(location, "http://localhost").host, "localhost");
      }
    },
  ],
  [
    "response splitting (every framework once)",
    "a line break in the value of a header begins another header, or another answer",
    async (stand) => {
      for (const value of [
        "a\r\nx-evil: 1",
        "a\nx-evil: 1",
        "a\rx-evil: 1",
        "a\0b",
        "日本",
        "\u2028",
        "a\r\n\r\n<b>",
      ]) {
        await fails(stand, `/api/header?value=${encodeURIComponent(value)}`, "E_HEADER_INVALID");
      }
    },
  ],
  [
    "44ae0c8c, 905aedbc, CVE-2026-47675, CVE-2026-56762 (Hono)",
    "a semicolon in a name or an attribute of a cookie adds attributes",
    async (stand) => {
      for (const part of ["name", "value", "path", "domain", "site"]) {
        for (const value of ["/; Domain=evil", "a;b", "/\r\nSet-Cookie: b=c", "/\0", "/\n", "ü\u00a0"]) {
          await fails(stand, `/cookie?${part}=${encodeURIComponent(value)}`, "E_COOKIE_INVALID");
        }
      }
    },
  ],
  [
    "cc067c85 (Hono), cookie prefixes of 2025 (Django, ASP.NET, Java)",
    "a blank that only some trim, or $Version, makes another cookie of the name that counts",
    async ({ ask, alice }) => {
      const names = async (cookie: string): Promise<string[]> =>
        (JSON.parse(utf8((await ask("GET /api/cookies", { Cookie: cookie })).body)) as [string, string][]).map(
          ([name]) => name,
        );
      assert.deepEqual(await names("\u00a0__Host-a=1"), ["\u00a0__Host-a"]);
      assert.deepEqual(await names("\u0085a=1"), ["\u0085a"]);
      assert.deepEqual(await names("$Version=1; __Host-a=1; $Path=/"), ["$Version", "__Host-a", "$Path"]);
      assert.deepEqual(await names('a="x; __Host-b=1"'), ["a", "__Host-b"]);
      const token = { "X-CSRF-Token": alice.token, "Content-Type": "application/x-www-form-urlencoded" };
      const [name = "", value = ""] = alice.cookie.split(/=(.*)/s);
      for (const cookie of [
        `\u00a0${name}=${value}`,
        `${name}\u00a0=${value}`,
        `${name.toUpperCase()}=${value}`,
        `$${name}=${value}`,
      ]) {
        assert.equal(
          (await ask("POST /items", { ...token, Cookie: cookie }, "name=a&qty=1")).status,
          403,
          cookie.slice(0, 12),
        );
      }
    },
  ],
  [
    "CVE-2026-44458 and others of hono/jsx, CVE-2026-22028 (Preact)",
    "a name of an element or attribute, a style, or JSON as a child becomes markup",
    async (stand) => {
      const show = (data: unknown, element = "p"): string =>
        `/jsx?element=${encodeURIComponent(element)}&data=${encodeURIComponent(JSON.stringify(data))}`;
      for (const element of ["script src=x", "p><img", "img/onerror=x", "", "p\n"]) {
        if (element !== "") await fails(stand, show({}, element), "E_HTML_NAME");
      }
      for (const name of ["a onload", 'a"', "a>", "a=b", "a/b", ""])
        await fails(stand, show({ [name]: "x" }), "E_HTML_NAME");
      await fails(stand, show({ children: { type: "script", props: { children: "alert(1)" } } }), "E_HTML_VALUE");
      await fails(stand, show({ style: "color: red" }), "E_HTML_VALUE");
      await fails(stand, show({ style: { "a;b": "c" } }), "E_HTML_NAME");
      for (const value of [
        "red; background: url(//evil)",
        "url(//evil)",
        "expression(alert(1))",
        "</style><script>",
        "\\3b",
      ]) {
        const { body } = await stand.ask(`GET ${show({ style: { color: value } })}`);
        stand.demo.faults.splice(0);
        assert.doesNotMatch(body, /url\(|expression|<script|background|\\3b/, value);
      }
      const { body } = await stand.ask(`GET ${show({ children: "<script>", title: '"><b>' })}`);
      assert.equal(body, '<p title="&quot;&gt;&lt;b&gt;">&lt;script&gt;</p>');
    },
  ],
  [
    "CVE-2025-25184, CVE-2025-27111 (Rack), CVE-2025-55193 (Rails)",
    "a visitor writes lines of the log, or commands the terminal that shows them",
    async ({ ask }) => {
      const lines = (): string[] => {
        void files.flush?.();
        return readFileSync(join(folder, "app.log"), "utf8").split("\n").slice(0, -1);
      };
      const texts = [
        "a\nb",
        'a\r\n{"level":"error"}',
        "\u001b[2J\u001b]0;x\u0007",
        "\u2028\u2029",
        "\u202e",
        "\0",
        "\u0085",
        "\u009b31m",
      ];
      for (const text of texts) {
        const before = lines().length;
        const { body } = await ask(`GET /log?text=${encodeURIComponent(text)}`, { "X-Request-Id": "a b" });
        assert.equal(body, "logged");
        const [line = "", ...others] = lines().slice(before);
        assert.deepEqual(others, []);
        assert.equal((JSON.parse(line) as { text: string }).text, text);
        assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
      }
    },
  ],
  [
    "CVE-2026-47673 (Hono)",
    "credentials of any scheme are taken",
    async ({ ask }) => {
      const right = Buffer.from("ada:secret").toString("base64");
      assert.equal((await ask("GET /vault", { Authorization: `Basic ${right}` })).body, "inside");
      const wrong = [
        "",
        "Basic",
        "Basic ",
        `Bearer ${right}`,
        `Basicx ${right}`,
        `Digest Basic ${right}`,
        right,
        `Basic ${right}x`,
      ];
      const users = ["ada:", ":secret", "ada", "ada:secret\0", "ADA:secret", "ada :secret"];
      for (const value of [...wrong, ...users.map((user) => `Basic ${Buffer.from(user).toString("base64")}`)]) {
        assert.equal((await ask("GET /vault", { Authorization: value })).status, 401, value);
      }
      assert.equal((await ask("GET /vault", { Authorization: [`Basic ${right}`, "Basic eA=="] })).status, 401);
    },
  ],
];

advisories("flaws of what goes out that are none of ours", rows, {
  routes,
  settings: [["LOG_LEVEL", "info"]],
  onLog: (entry) => void (entry.level === "error" ? undefined : files.report(entry)),
});
