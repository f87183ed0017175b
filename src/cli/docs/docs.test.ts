import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { isError } from "../../core/index.ts";
import { readDocsArchive, runDocs, startDocsServer } from "./run-docs.ts";
import type { SearchPage } from "./search-index.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-docs-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Writes an archive as `npm run docs:build` does. */
function writeArchive(files: Readonly<Record<string, string>>): string {
  const path = join(folder, "docs.br");
  const lengths = Object.entries(files).map(([name, text]) => [name, Buffer.byteLength(text)]);
  writeFileSync(path, brotliCompressSync(`${JSON.stringify(lengths)}\n${Object.values(files).join("")}`));
  return path;
}

const output = { print: (): void => {}, note: (): void => {}, isTerminal: false };

test("the server answers with the files of the archive", async () => {
  const archive = writeArchive({
    "index.html": "<p>Grüezi</p>",
    "guide/index.html": "<p>Guide</p>",
    "guide/web.md": "# Web",
    "data.bin": "data",
    "404.html": "<p>Not found</p>",
  });
  const server = await startDocsServer(readDocsArchive(archive), 0);
  try {
    const get = async (path: string): Promise<readonly [number, string | null, string]> => {
      const response = await fetch(new URL(path, server.url));
      return [response.status, response.headers.get("content-type"), await response.text()];
    };
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+\/$/);
    assert.deepEqual(await get("/"), [200, "text/html; charset=utf-8", "<p>Grüezi</p>"]);
    assert.deepEqual(await get("/guide/?x#y"), [200, "text/html; charset=utf-8", "<p>Guide</p>"]);
    assert.deepEqual(await get("/guide/web.md"), [200, "text/markdown; charset=utf-8", "# Web"]);
    assert.deepEqual(await get("/data.bin"), [200, "application/octet-stream", "data"]);
    for (const path of ["/guide/none.html", "/none", "/none/", "/none.md", "/none.js", "/404.html"]) {
      assert.deepEqual(await get(path), [404, "text/html; charset=utf-8", "<p>Not found</p>"], path);
    }
    const missing = await fetch(new URL("/none", server.url), { method: "HEAD" });
    assert.deepEqual([missing.status, missing.headers.get("content-length"), await missing.text()], [404, "16", ""]);
    const head = await fetch(server.url, { method: "HEAD" });
    assert.deepEqual([head.headers.get("content-length"), await head.text()], ["14", ""]);
    const post = await fetch(server.url, { method: "POST" });
    assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"]);
  } finally {
    await server.close();
  }
});

test("the status of an unknown path is 404 without a page for it, too", async () => {
  const server = await startDocsServer(new Map([["index.html", Buffer.from("first")]]), 0);
  try {
    const response = await fetch(new URL("none", server.url));
    assert.deepEqual([response.status, await response.text()], [404, ""]);
  } finally {
    await server.close();
  }
});

test("the search index contains the sections of the pages that have a weight", async () => {
  const archive = writeArchive({
    "index.html": "<main>No article</main>",
    "404.html": "<main><h1>Not found</h1></main>",
    "site.js": '<article data-search-weight="1">Not a page</article>',
    "guide/queue.html": `<meta name="keywords" content="job &amp; worker" /><nav>Pages</nav>
      <article class="prose" data-search-weight="0.5"><p class="crumbs">Guide · Work</p><h1>Queue <a href="#q"></a></h1>
      <p>Runs <b>jobs</b> later.</p><h2 id="a&amp;b">Retry &lt;T&gt;</h2><ul><li>One</li><li>Two</li></ul>
      <table><tr id="E_X"><td><code>E_X</code></td><td>Wait.</td></tr></table></article><footer>End</footer>`,
  });
  const server = await startDocsServer(readDocsArchive(archive), 0);
  try {
    const response = await fetch(new URL("search-index.json?fingerprint", server.url));
    assert.equal(response.headers.get("content-type"), "application/json");
    const expected: readonly SearchPage[] = [
      {
        path: "guide/queue.html",
        title: "Queue",
        group: "Guide · Work",
        terms: "job & worker",
        weight: 0.5,
        sections: [
          { id: "", heading: "", text: "Runs jobs later." },
          { id: "a&b", heading: "Retry <T>", text: "One Two" },
          { id: "E_X", heading: "E_X", text: "Wait." },
        ],
      },
    ];
    assert.deepEqual(await response.json(), expected);
  } finally {
    await server.close();
  }
});

test("a port that is taken is an error with the port", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  await assert.rejects(startDocsServer(new Map(), port), { code: "EADDRINUSE" });
  other.close();
});

test("a package without a site names the command that builds it", () => {
  assert.throws(
    () => readDocsArchive(join(folder, "none.br")),
    (error) => isError(error, "E_DOCS_MISSING") && error.message.includes("npm run docs:build"),
  );
});

test("wrong arguments show the usage", async () => {
  const { signal } = new AbortController();
  for (const port of ["x", "65536", "-1"]) {
    assert.equal(await runDocs([`--port=${port}`], output, signal), undefined, port);
  }
  await assert.rejects(runDocs(["--colour"], output, signal), { code: "ERR_PARSE_ARGS_UNKNOWN_OPTION" });
});
