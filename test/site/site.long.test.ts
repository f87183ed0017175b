// The documentation site: its content, and its use in a browser.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { before, suite, test } from "node:test";
import { createSearch } from "../../site/search.ts";
import type { SearchPage } from "../../site/page-index.ts";
import { root } from "../sources.ts";
import { buildSite, built, readerSkip, site, siteSkip, useSite } from "./documentation-site.ts";

const kB = 1000;

const pagesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: built }).map((path) => path.replaceAll("\\", "/"));
const read = (path: string): string => readFileSync(join(built, path), "utf8");

const searchIndex = (): readonly SearchPage[] => JSON.parse(read("search-index.json")) as readonly SearchPage[];

/** Questions of new users, and the pages that answer them. */
const questions: readonly (readonly [question: string, ...paths: readonly string[]])[] = [
  ["404 page", "guide/web"],
  ["api token", "guide/tokens"],
  ["authentification", "guide/login"],
  ["background job", "guide/queue"],
  ["cookie", "guide/web", "guide/sessions-and-devices"],
  ["cors", "reference/middleware"],
  ["cron", "guide/schedule"],
  ["csrf", "reference/middleware", "guide/security"],
  ["dark mode", "guide/assets"],
  ["deploy", "guide/deploy"],
  ["docker", "guide/deploy"],
  ["E_STALE", "reference/errors"],
  ["E_CONFIG", "reference/errors"],
  ["env", "reference/configuration"],
  ["environment variables", "reference/configuration"],
  ["file size limit", "guide/uploads"],
  ["flash message", "reference/middleware", "reference/api/web.flash"],
  ["foreign key", "guide/tables", "guide/database"],
  ["generate crud", "guide/generators"],
  ["graceful shutdown", "guide/deploy", "guide/production", "guide/processes"],
  ["hello world", "guide/getting-started"],
  ["hot reload", "guide/development-server"],
  ["how do I log in a user in a test", "guide/testing"],
  ["how to upload a file", "guide/uploads"],
  ["install", "guide/getting-started", "guide/new-project"],
  ["json api", "guide/json-api", "guide/openapi", "guide/web"],
  ["jsx", "guide/html"],
  ["logging", "guide/production", "guide/services"],
  ["login", "guide/login"],
  ["many to many", "guide/tables"],
  ["middleware", "reference/middleware"],
  ["mirgation", "guide/migrations"],
  ["multi tenant", "guide/pools"],
  ["nested routes", "guide/web", "guide/resources"],
  ["openapi", "guide/openapi"],
  ["pagination", "guide/lists", "guide/components"],
  ["password reset", "guide/password-reset"],
  ["postgres connection string", "guide/database"],
  ["prometheus", "guide/metrics"],
  ["rate limit", "reference/middleware"],
  ["queue.dispatch", "reference/api/queue"],
  ["redirect", "guide/web"],
  ["redis", "guide/cache"],
  ["requestLimit", "reference/api/web.middleware", "reference/middleware"],
  ["retry failed job", "guide/queue"],
  ["roles and permissions", "guide/authorization"],
  ["s3", "guide/storage"],
  ["search form", "guide/lists", "guide/components"],
  ["seed data", "guide/migrations"],
  ["select dropdown options", "guide/components", "guide/forms"],
  ["send email", "guide/email"],
  ["session expiry", "guide/sessions-and-devices"],
  ["soft delete", "guide/tables"],
  ["sql injection", "guide/security", "guide/database"],
  ["static files", "guide/web", "guide/assets"],
  ["tailwind", "guide/assets"],
  ["template layout", "guide/html"],
  ["transaction", "concepts/transactions"],
  ["unit test", "guide/testing"],
  ["upgrade version", "guide/upgrade"],
  ["validation errors", "guide/forms"],
  ["Web.Csrf.find", "reference/api/web.csrf"],
  ["websocket", "faq"],
  ["xss", "guide/security", "guide/html"],
];

suite("documentation site", { skip: siteSkip }, () => {
  let output = "";

  before(() => {
    output = buildSite();
  });

  test("its sources pass format, lint and types", () => {
    const { status, stdout, stderr } = spawnSync("npm", ["run", "check"], { cwd: site, encoding: "utf8" });
    assert.equal(status, 0, `${stdout}\n${stderr}`);
  });

  test("all links and anchors lead somewhere", () => {
    const [, pages, links] = /(\d+) pages, (\d+) links, 0 broken/.exec(output) ?? [];
    assert.ok(Number(pages) > 100 && Number(links) > 5000, output);
  });

  test("404.html works at any depth, and no list contains it", () => {
    const html = read("404.html");
    const links = [...html.matchAll(/ (?:href|src|data-root)="([^"]*)"/g)].map(([, link = ""]) => link);
    assert.deepEqual(
      links.filter((link) => !/^\/|^#content$/.test(link)),
      [],
    );
    for (const path of ["/", "/index.html", "/guide/getting-started.html", "/reference/api/index.html", "/icon.svg"]) {
      assert.ok(links.includes(path), path);
    }
    assert.ok(html.includes('<meta name="robots" content="noindex"') && html.split("data-search hidden").length === 3);
    assert.doesNotMatch(html, /data-search-weight|text\/markdown|aria-current="page"/);
    assert.equal(existsSync(join(built, "404.md")), false);
    for (const name of ["llms.txt", "llms-full.txt"]) assert.doesNotMatch(read(name), /404\.(?:html|md)/, name);
    const linking = pagesOf("**/*.{html,md}").filter((path) => /(?:href="|\]\()[^")]*\b404\.html/.test(read(path)));
    assert.deepEqual(linking, []);
    assert.ok(searchIndex().every(({ path }) => path !== "404.html"));
  });

  test("the search answers questions of new users with one of the first three pages", () => {
    const search = createSearch(searchIndex());
    const failures = questions.flatMap(([question, ...paths]) => {
      const found = search(question)
        .results.slice(0, 3)
        .map(({ path }) => path.replace(/\.html$/, ""));
      return paths.some((path) => found.includes(path)) ? [] : [`${question}: ${found.join(", ")}`];
    });
    assert.deepEqual(failures, []);
  });

  test("every page has a Markdown twin, and llms.txt lists it", () => {
    const index = read("llms.txt");
    const listed = new Set([...index.matchAll(/^- \[.*?\]\(([^)]+)\)/gm)].map(([, path]) => path));
    const pages = pagesOf("**/*.html").filter((path) => path !== "index.html" && path !== "404.html");
    const twins = pages.map((path) => path.replace(/\.html$/, ".md"));
    assert.deepEqual(listed, new Set(twins));
    for (const twin of [...twins, "index.md"]) assert.match(read(twin), /^# /m, twin);
    assert.ok(read("llms-full.txt").length > 500 * kB);
  });

  test("the pages of docs are unchanged in their twins, except for links", () => {
    const text = (markdown: string): string => markdown.replaceAll(/\]\([^)]*\)/g, "]");
    const source = readFileSync(join(root, "docs/guide/web.md"), "utf8");
    assert.equal(text(read("guide/web.md")), text(source));
  });

  test("the reference has every export of the entry points", () => {
    const names = JSON.parse(readFileSync(join(root, "test/entry-points.snapshot.json"), "utf8")) as Readonly<
      Record<string, readonly string[]>
    >;
    const missing = Object.entries(names).flatMap(([entryPoint, exported]) => {
      const file = entryPoint === "." ? "limmat" : entryPoint.slice("./".length).replaceAll("/", "-");
      const path = `reference/api/${file}.md`;
      const page = existsSync(join(built, path)) ? read(path) : undefined;
      // Both run-time modules of JSX are one.
      if (page === undefined) return entryPoint === "./jsx-dev-runtime" ? [] : [entryPoint];
      return exported
        .filter((name) => !name.includes("."))
        .map((name) => name.replace(/^type /, ""))
        .filter(
          (name) =>
            !new RegExp(`(?:^#+ (?:[\\w.]+\\.)?|\\[\`)${name.replaceAll("$", "\\$")}(?:$|\`\\])`, "m").test(page),
        )
        .map((name) => `${entryPoint} ${name}`);
    });
    assert.deepEqual(missing, []);
  });

  test("lines of code in the reference fit into a code block", () => {
    const longLines = pagesOf("reference/api/*.md").flatMap((path) =>
      [...read(path).matchAll(/^```ts\n([^]*?)^```$/gm)].flatMap(([, code = ""]) =>
        // Comments at the end of a line stay as they are.
        code.split("\n").filter((line) => line.replace(/ +\/\/.*$/, "").length > 90),
      ),
    );
    assert.deepEqual(longLines, []);
  });

  suite("in a browser", { skip: readerSkip }, () => {
    const reader = useSite();

    test("an unknown path at any depth shows the page with its style, and the search leads on", async () => {
      for (const path of ["none", "guide/none.html", "reference/api/none/none.html"]) {
        const { status, headers } = await fetch(new URL(path, reader().url));
        assert.deepEqual([status, headers.get("content-type")], [404, "text/html; charset=utf-8"], path);
        await reader().visit(path, { isMissing: true }, async (page) => {
          assert.equal(await page.title(), "Page not found · limmat");
          assert.equal(await page.evaluate("getComputedStyle(document.querySelector('.top')).position"), "sticky");
          await page.locator("main [data-search]").click();
          await page.locator("#search-input").fill("csrf");
          const link = page.locator('[data-search-results] a[href*="reference/middleware.html"]').first();
          await link.click();
          await page.waitForURL((address) => address.pathname === "/reference/middleware.html");
        });
      }
    });

    const noAction = async (): Promise<void> => {};

    test("the first page takes at most 200 kB, uncompressed", async () => {
      const bytes = await reader().visit("", { waitsForRequests: true }, noAction);
      assert.ok(bytes > 20 * kB && bytes <= 200 * kB, `${bytes} bytes`);
    });

    /** Searches for a term with the keyboard, and follows the first result on a page. */
    async function search(base: string, term: string, path: string): Promise<void> {
      await reader().visit(new URL("guide/web.html", base).href, {}, async (page) => {
        await page.keyboard.press("/");
        await page.locator("#search-input").fill(term);
        const link = page.locator(`[data-search-results] a[href*="${path}"]`).first();
        await link.waitFor();
        await link.click();
        await page.waitForURL((address) => address.pathname === `/${path}`);
      });
    }

    const searches = [
      ["csrf", "reference/middleware.html"],
      ["Web.Csrf.find", "reference/api/web.csrf.html"],
      ["E_STALE", "guide/tables.html"],
    ] as const;

    test("the search finds pages, exports and error codes", async () => {
      for (const [term, path] of searches) await search(reader().url, term, path);
    });

    test("the search works with the keyboard alone", async () => {
      await reader().visit("guide/web.html", {}, async (page) => {
        const focused = (): Promise<string> =>
          page.evaluate("document.activeElement.id || document.activeElement.href");
        await page.keyboard.press("Control+k");
        await page.keyboard.type("csrf");
        await page.locator("[data-search-results] a").first().waitFor();
        await page.keyboard.press("ArrowDown");
        assert.match(await focused(), /\.html/);
        await page.keyboard.press("ArrowUp");
        assert.equal(await focused(), "search-input");
        await page.keyboard.press("Escape");
        assert.equal(await page.locator("dialog").isVisible(), false);
        await page.keyboard.press("/");
        await page.keyboard.press("Enter");
        await page.waitForURL(/reference\/middleware\.html/);
      });
    });

    test("the published site, which a static host serves, finds them, too", async () => {
      const host = createServer((request, response) => {
        const file = join(built, (request.url ?? "").replace(/\?.*$/, ""));
        if (!existsSync(file)) return void response.writeHead(404).end();
        const type = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
        const contentType = type[extname(file) as keyof typeof type] ?? "application/octet-stream";
        return void response.writeHead(200, { "content-type": contentType }).end(readFileSync(file));
      }).listen(0, "127.0.0.1");
      await once(host, "listening");
      const { port } = host.address() as AddressInfo;
      try {
        for (const [term, path] of searches) await search(`http://127.0.0.1:${port}/`, term, path);
      } finally {
        host.closeAllConnections();
        host.close();
      }
    });

    test("a visitor on a phone opens the list of pages and another page", async () => {
      await reader().visit("guide/web.html", { width: 390 }, async (page) => {
        assert.equal(await page.locator("#pages").isVisible(), false);
        await page.getByRole("button", { name: "Pages" }).click();
        await page.locator("#pages").getByRole("link", { name: "HTML", exact: true }).click();
        await page.waitForURL(/guide\/html\.html$/);
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        assert.ok(width <= 390, `${width} pixels`);
      });
    });

    test("a visitor on a phone opens the contents of the page, and tables do not scroll sideways", async () => {
      await reader().visit("reference/errors.html", { width: 390 }, async (page) => {
        await page.getByRole("button", { name: "On this page" }).click();
        await page.locator("#outline").getByRole("link", { name: "database", exact: true }).click();
        await page.waitForURL(/#database$/);
        assert.equal(await page.locator("#outline").isVisible(), false);
        const scrolling = await page.evaluate<number>(
          "[...document.querySelectorAll('.table')].filter((table) => table.scrollWidth > table.clientWidth).length",
        );
        assert.equal(scrolling, 0);
      });
    });

    test("the chosen colours stay on the next page", async () => {
      await reader().visit("guide/web.html", {}, async (page) => {
        const background = (): Promise<string> => page.evaluate("getComputedStyle(document.body).backgroundColor");
        const light = await background();
        await page.getByRole("button", { name: /light and dark/ }).click();
        const dark = await background();
        assert.notEqual(dark, light);
        await page.goto(new URL("guide/html.html", reader().url).href);
        assert.equal(await background(), dark);
      });
    });
  });
});
