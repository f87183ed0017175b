// Requests that take the parsers and the router of other frameworks a long time.
import assert from "node:assert/strict";
import { Web } from "limmat";
import { type Advisory, advisories } from "./advisories.ts";

const form = "application/x-www-form-urlencoded";

/** Returns the milliseconds for which the event loop was blocked. Server and test share it. */
async function busyFor(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const mounted: Web.FetchHandler = (request) => new Response(`mounted ${new URL(request.url).pathname}`);

const rows: readonly Advisory[] = [
  [
    "CVE-2024-45590, CVE-2025-13466 (body-parser), CVE-2026-5079 (multer)",
    "a form of many or deeply nested fields takes ages",
    async ({ alice }) => {
      const post = (body: string): Promise<unknown> => alice.send("POST", "/api/form", body, form);
      for (const body of [
        "&".repeat(1_000_000),
        "a=1&".repeat(250_000),
        `a${"[b]".repeat(300_000)}=1`,
        "%".repeat(999),
      ]) {
        assert.ok((await busyFor(() => post(body))) < 500, body.slice(0, 20));
      }
    },
  ],
  [
    "CVE-2026-21717 (V8)",
    "keys that look like numbers collide, and an object of them takes ages",
    async ({ alice }) => {
      for (const step of [1, 1024, 65_536, 2 ** 20]) {
        const fields = Array.from({ length: 50_000 }, (_, at) => `"${at * step}":0`).join(",");
        assert.ok((await busyFor(() => alice.send("POST", "/api/json", `{${fields}}`))) < 2000, String(step));
      }
    },
  ],
  [
    "SvelteKit's quadratic Accept",
    "a header of preferences takes ages",
    async ({ alice }) => {
      for (const piece of ["a/b;q=0.1,", ",", ";", " ", "text/html;", "application/json ;q=", "q=0.0000001", "*/*,"]) {
        const value = `text/html,application/json;q=0.5,${piece.repeat(Math.floor(15_000 / piece.length))}x`;
        for (const name of ["accept", "accept-encoding", "accept-language", "if-none-match", "content-type", "range"]) {
          assert.ok((await busyFor(() => alice.get("/items", { [name]: value }))) < 250, `${name}: ${piece}`);
        }
      }
    },
  ],
  [
    "CVE-2024-45813 (find-my-way), path-to-regexp 2024",
    "a path of many parameters or repeated pieces takes the router ages",
    async ({ ask }) => {
      const start = process.cpuUsage();
      for (const piece of ["a", "a-", "-a.", "a%20", "(a)", "1/"]) {
        for (const head of ["/api/path/", "/items/", "/guest/"]) {
          await ask(`GET ${head}${piece.repeat(Math.floor(12_000 / piece.length))}`);
        }
      }
      assert.ok(process.cpuUsage(start).user < 2_000_000);
    },
  ],
];

advisories("requests that take ages elsewhere", rows, { routes: [Web.mount("/guest", mounted)] });
