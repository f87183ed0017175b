// Guards, routers and static files that parse one path in two ways.
import assert from "node:assert/strict";
import { Web } from "limmat";
import { canary } from "../demo.ts";
import { type Advisory, advisories, type Stand } from "./advisories.ts";

/** Middleware that refuses every path below `/admin`. */
const byPath: Web.Middleware = (handler) => (request) =>
  request.path === "/admin" || request.path.startsWith("/admin/")
    ? Web.Response.text("closed", { status: 403 })
    : handler(request);
/** Middleware that refuses every request. */
const closed: Web.Middleware = () => () => Web.Response.text("closed", { status: 403 });

const open: Web.Handler = (request) => Web.Response.text(`inside ${request.path}`);
const mounted: Web.FetchHandler = (request) => new Response(`mounted ${new URL(request.url).pathname}`);
const routes = [
  Web.get("/admin", open),
  Web.get("/admin/users", open),
  Web.get("/admin/users/:id", open),
  Web.choose([Web.get("/", open), Web.get("/users", open)], { scope: "/scoped", middlewares: [closed] }),
  Web.mount("/guest", mounted),
  Web.choose([Web.mount("/private", mounted)], { middlewares: [closed] }),
];

const spellings = [
  ..."//admin //admin/users /admin//users /./admin /admin/. /x/../admin /admin/../admin/users".split(" "),
  ..."/%61dmin /%61%64%6d%69%6e /admin%2fusers /admin%2Fusers /admin%5cusers /admin\\users \\admin".split(" "),
  ..."/admin%00 /admin%00/users /admin%20 /admin/ /admin/users/ /admin;a=b /admin;/users /;/admin".split(" "),
  ..."/admin/%2e /x/%2e%2e/admin /x/..;/admin /.;/admin /admin..;/ /%2fadmin /%2Fadmin/users %2fadmin".split(" "),
  ..."/ADMIN /Admin/users /admin? /admin?x /admin/users?/../.. http://localhost/admin http://localhost//admin".split(
    " ",
  ),
  ..."/%2561dmin /adm%69n/users /admin%252fusers /admin%c0%afusers /admin%e2%81%84users /аdmin /admin%ef%bc%8fusers".split(
    " ",
  ),
];

/** Requests every spelling, and fails if protected content is returned. */
async function staysClosed({ ask }: Stand, from: string, to: string): Promise<void> {
  for (const spelling of spellings) {
    const target = spelling
      .replace("admin", to)
      .replace("%61dmin", `%${from.charCodeAt(0).toString(16)}${from.slice(1)}`);
    const bytes = Buffer.from(target).toString("latin1");
    const { status, body } = await ask(`GET ${bytes}`);
    assert.ok([400, 403, 404].includes(status), `${target}: ${status}`);
    assert.doesNotMatch(body, /inside|mounted/, target);
  }
}

const rows: readonly Advisory[] = [
  [
    "CVE-2026-39407, CVE-2026-29087 (Hono), CVE-2026-2880, CVE-2026-33808 (Fastify)",
    "a guard by path is passed by //, %2F, a backslash, ; or another spelling that the router takes",
    (stand) => staysClosed(stand, "admin", "admin"),
  ],
  [
    "CVE-2026-33807 (Fastify), 751ba41b (Hono)",
    "a guard of a scope is passed by a spelling that reaches a route of the scope",
    (stand) => staysClosed(stand, "scoped", "scoped"),
  ],
  [
    "CVE-2026-47676, 6cbb025f (Hono)",
    "an application that is mounted is reached below an encoded prefix, around the guards",
    async (stand) => {
      await staysClosed(stand, "private", "private");
      const { ask } = stand;
      assert.equal((await ask("GET /guest/a%20b")).body, "mounted /a%20b");
      assert.equal((await ask("GET /%67uest/a")).body, "mounted /a");
      for (const target of ["/guest%2fa", "/guest/%2e%2e/admin", "/guest//a", "/guest/a%2fb", "/guestx"]) {
        assert.doesNotMatch((await ask(`GET ${target}`)).body, /mounted/, target);
      }
    },
  ],
  [
    "CVE-2026-39406, 6a0607a9, 9aff14bd (Hono)",
    "static files are reached below a guard by doubled or encoded slashes, or left by a backslash",
    async ({ ask }) => {
      const targets = [
        ..."//assets/open.txt /assets//open.txt /assets%2fopen.txt /assets/%2fopen.txt /assets\\open.txt".split(" "),
        ..."/assets/..\\..\\secret.txt /assets/css%2fapp.css /assets/css%5capp.css /assets/./open.txt".split(" "),
      ];
      for (const target of targets) assert.equal((await ask(`GET ${target}`)).status, 400, target);
    },
  ],
  [
    "CVE-2026-34786 (Rack)",
    "an encoded path gets a file without the headers that its rule adds",
    async ({ ask }) => {
      const names = ["cache-control", "x-content-type-options", "content-security-policy", "content-type", "etag"];
      const headersOf = async (target: string): Promise<(string | undefined)[]> => {
        const answer = await ask(`GET ${target}`);
        assert.deepEqual([answer.status, answer.body], [200, "open to all"], target);
        return names.map((name) => answer.header(name));
      };
      const plain = await headersOf("/assets/open.txt");
      assert.ok(plain.every((value) => value !== undefined));
      for (const target of ["/assets/%6fpen.txt", "/%61ssets/open%2etxt", "/assets/open.txt?a=b"]) {
        assert.deepEqual(await headersOf(target), plain, target);
      }
    },
  ],
  [
    "CVE-2026-22860, CVE-2026-34785 (Rack)",
    "a folder whose name only begins as the public one does is public as well",
    async ({ ask }) => {
      for (const target of [
        "/assets2/secret.txt",
        "/assets.bak/secret.txt",
        "/assetsopen.txt",
        "/assets/../public2/secret.txt",
      ]) {
        const { status, body } = await ask(`GET ${target}`);
        assert.ok([400, 404].includes(status), target);
        assert.ok(!body.includes(canary));
      }
    },
  ],
];

advisories("flaws of routers, guards and static files that are none of ours", rows, { routes, middlewares: [byPath] });
