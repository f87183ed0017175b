// docs/guide/content-security-policy.md in a browser: each row of its table, and its examples.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { transformSync } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { waitFor } from "limmat/testing";
import { documentBlocks, documentExamples } from "../document-examples.ts";
import { root } from "../sources.ts";
import { browserSkip, launch } from "./chromium.ts";
import { type RunningExample, startProgram } from "./example.ts";

const document = "docs/guide/content-security-policy.md";
const guide = readFileSync(join(root, document), "utf8");
const examples = documentExamples(document);
const options = { skip: browserSkip };

/** Page that does what a row of the table says. */
interface Case {
  /** Markup of the page. Default: the text of the row. */
  readonly markup?: string;
  /** Code of a script file of the page. */
  readonly script?: string;
  /** True if the browser blocks it on a click on the element `a` or `button`. */
  readonly isClicked?: boolean;
  /** Directive that blocks it; `undefined` if it is allowed. */
  readonly directive?: string;
}

const cases: Readonly<Record<string, Case>> = {
  '<script src="/assets/site.js"></script>': {},
  '<script type="application/json">{}</script>': {},
  "<script>run()</script>": { directive: "script-src-elem" },
  '<button onclick="run()">Run</button>': { directive: "script-src-attr" },
  '<a href="javascript:run()">Run</a>': { isClicked: true, directive: "script-src-elem" },
  'eval("run()")`, `new Function("run()")': { markup: "", script: 'eval("run()")', directive: "script-src" },
  "<style>p { color: red }</style>": { directive: "style-src-elem" },
  '<p style="color: red">Text</p>': { directive: "style-src-attr" },
  'element.style.color = "red"': { markup: "", script: 'document.body.style.color = "red"' },
  '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="">': {},
  '<img src="https://images.example.com/a.png" alt="">': { directive: "img-src" },
  '<script src="https://scripts.example.com/a.js"></script>': { directive: "script-src-elem" },
  '<link rel="stylesheet" href="https://styles.example.com/a.css">': { directive: "style-src-elem" },
  'fetch("https://api.example.com")': {
    markup: "",
    script: 'fetch("https://api.example.com").catch(() => {})',
    directive: "connect-src",
  },
  '<iframe src="https://videos.example.com" title="Video"></iframe>': { directive: "frame-src" },
  '<form action="https://example.com"><button>Send</button></form>': { isClicked: true, directive: "form-action" },
  '<base href="/other/">': { directive: "base-uri" },
  '<object data="/file"></object>': { directive: "object-src" },
};

const frameRow = "a frame of another site that shows the page";

/** Rows of the table: the first cell without its outer code marks, and whether the page says "allowed". */
const rows = [...guide.matchAll(/^\| (\S.*?) +\| (allowed|blocked) +\|/gm)].map(([, cell = "", effect = ""]) => ({
  name: cell.replaceAll(/^`|`$/g, ""),
  isAllowed: effect === "allowed",
}));

const shutdown = `process.once("SIGTERM", async () => {
  await app.stop();
  process.exit(0);
});`;

/** Starts a program whose application is the variable `app`. */
const start = (code: string): Promise<RunningExample> =>
  startProgram(
    ["--conditions=@limmat/source", "--input-type=module-typescript", "-e", `${code}\nawait app.start();\n${shutdown}`],
    root,
    { PUBLIC_DIR: publicFolder },
  );

/** Public folder with the scripts that the examples link. */
const publicFolder = mkdtempSync(join(tmpdir(), "limmat-policy-"));
after(() => rmSync(publicFolder, { recursive: true }));
const listener = examples.find(({ file }) => file === "resources/confirm.ts")?.code ?? "";
writeFileSync(join(publicFolder, "confirm.js"), transformSync(listener, { loader: "ts" }).code);
cpSync(join(root, "node_modules/htmx.org/dist/htmx.min.js"), join(publicFolder, "htmx.min.js"));

let browser: Browser;
let table: RunningExample;
let program: RunningExample;

before(async () => {
  if (browserSkip !== false) return;
  table = await start(`
    import { App, Web } from "limmat";
    import { unsafeHtml } from "limmat/html";
    const cases = ${JSON.stringify(Object.entries(cases))};
    const router = Web.choose([
      Web.get("/frame", () => Web.Response.html(unsafeHtml("<!doctype html><p>Framed</p>"))),
      Web.get("/site.js", () => Web.Response.text("")),
      Web.get("/:index<int>", ({ params }) => {
        const [name, { markup = name, script }] = cases[params.index];
        const code = script === undefined ? "" : '<script src="/' + params.index + '/script.js"></script>';
        return Web.Response.html(unsafeHtml("<!doctype html><body>" + markup + code));
      }),
      Web.get("/:index<int>/script.js", ({ params }) =>
        Web.Response.text(cases[params.index][1].script, { headers: { "content-type": "text/javascript" } })),
    ]);
    const app = App.create({ services: [Web.Http.service({ router, limits: { maxEventLoopDelayMs: 0 } })] });
  `);
  const code = examples.filter(({ file }) => file === undefined).map((example) => example.code);
  // On a busy machine no request is shed.
  program = await start(code.join("").replace("Http.service({", "$& limits: { maxEventLoopDelayMs: 0 },"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await table?.[Symbol.asyncDispose]();
  await program?.[Symbol.asyncDispose]();
});

/** Runs a test in a new page that records its violations. Answers requests to other hosts. */
async function runInPage(url: string, body: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ baseURL: url });
  await context.addInitScript(`
    window.violations = [];
    addEventListener("securitypolicyviolation", ({ effectiveDirective }) => violations.push(effectiveDirective));
  `);
  const page = await context.newPage();
  await page.route(/^https:\/\//, (route) =>
    route.fulfill({ contentType: "text/html", body: route.request().url().endsWith(".js") ? "window.loaded = 1" : "" }),
  );
  try {
    await body(page);
  } finally {
    await context.close();
  }
}

/**
 * Waits until an expression is true. `page.waitForFunction` evaluates it in the page, which the policy blocks from the second
 * check on.
 */
const waitForTrue = (page: Page, expression: string): Promise<boolean> =>
  waitFor(() => page.evaluate<boolean>(expression));

const violations = (page: Page): Promise<readonly string[]> => page.evaluate<readonly string[]>("violations");

test("the page shows the default policy", options, async () => {
  const { headers } = await fetch(`${table.url}/frame`);
  const [block] = documentBlocks(document);
  assert.equal(block?.code.trim(), headers.get("content-security-policy"));
});

test("the browser allows and blocks what the table says", options, () =>
  runInPage(table.url, async (page) => {
    assert.deepEqual(
      rows.map(({ name }) => name),
      [...Object.keys(cases), frameRow],
    );
    for (const [index, [name, { isClicked = false, directive }]] of Object.entries(cases).entries()) {
      assert.equal(rows[index]?.isAllowed, directive === undefined, name);
      await page.goto(`/${index}`);
      if (isClicked) await page.locator("a, button").click({ noWaitAfter: true });
      if (directive !== undefined) await waitForTrue(page, "violations.length > 0");
      assert.deepEqual([...new Set(await violations(page))], directive === undefined ? [] : [directive], name);
    }
  }),
);

test("another site cannot show a page in a frame", options, (t) =>
  runInPage(table.url, async (page) => {
    const framing = "http://framing.example.com/";
    await page.route(framing, (route) =>
      route.fulfill({ contentType: "text/html", body: `<iframe src="${table.url}/frame"></iframe>` }),
    );
    await page.goto(framing);
    await waitFor(() => {
      assert.equal(page.frames()[1]?.url(), "chrome-error://chromewebdata/");
      return true;
    }, t);
  }),
);

test("the examples work, and nothing of them is blocked", options, () =>
  runInPage(program.url, async (page) => {
    await page.goto("/chart");
    assert.equal(await page.locator("#total").innerText(), "6");
    assert.equal(await page.evaluate("getComputedStyle(document.getElementById('total')).fontWeight"), "700");
    assert.deepEqual(await violations(page), []);

    await page.goto("/todo");
    page.once("dialog", (dialog) => void dialog.dismiss());
    await page.getByRole("button").click();
    assert.equal(new URL(page.url()).pathname, "/todo");
    assert.equal(await page.getByRole("button").count(), 1);
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button").click();
    await page.getByText("Deleted").waitFor();

    await page.goto("/help");
    await waitForTrue(page, "window.loaded === 1");
    assert.deepEqual(await violations(page), []);

    await page.goto("/counter");
    await page.getByRole("button").click();
    await page.locator("#count", { hasText: "2" }).waitFor();
    assert.deepEqual(await violations(page), []);

    const { headers } = await fetch(`${program.url}/badge`);
    assert.equal(
      headers.get("content-security-policy"),
      "default-src 'none'; frame-ancestors 'self' https://partner.example.com",
    );
  }),
);
