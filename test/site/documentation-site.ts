// The documentation site: built as `npm run docs:build` does, and read in a browser.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserSkip, launch } from "../browser/chromium.ts";
import { makeOnce } from "../make-once.ts";
import { root } from "../sources.ts";
import { serveFolder } from "./static-server.ts";

/** Folder of the sources of the site. */
export const site: string = join(root, "site");

/** Folder of the pages that `buildSite` writes. */
export const built: string = join(site, "dist/html");

// Continuous integration installs the packages of the site.
const isReady = process.env.CI === "true" || existsSync(join(site, "node_modules/.limmat-lock.json"));

/** Option `skip` of tests of the site: a reason, or false. */
export const siteSkip: string | false = isReady
  ? false
  : "the packages of the site are not installed: npm run docs:build";

/** Builds the site, once in a run of all tests. Returns the output of the build. */
export function buildSite(): string {
  const folder = makeOnce("site", (target) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(site, "run.ts"), "build.ts"], {
      encoding: "utf8",
    });
    // The build fails for a broken link, a page outside of the navigation, and an export without a doc comment.
    assert.equal(status, 0, `${stdout}\n${stderr}`);
    writeFileSync(join(target, "output.txt"), stdout);
  });
  return readFileSync(join(folder, "output.txt"), "utf8");
}

/** Options of a visit. */
export interface VisitOptions {
  /** True if the page itself has status 404. Default false. */
  readonly isMissing?: boolean;
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  /** True to wait until the page has made no request for half a second. Default: until its load event. */
  readonly waitsForRequests?: boolean;
}

/** Browser, and the address of the site. */
export interface SiteReader extends AsyncDisposable {
  readonly url: string;
  /**
   * Opens a page of the site. Fails for a request to another host, a failed request, or an error of a script. Returns the
   * number of bytes of all responses.
   */
  readonly visit: (path: string, options: VisitOptions, body: (page: Page) => Promise<void>) => Promise<number>;
}

/** Option `skip` of tests of the site in a browser: a reason, or false. */
export const readerSkip: string | false = siteSkip === false ? browserSkip : siteSkip;

/** Reads the site in the tests of a file or a suite. Returns a function that returns the reader, for use in a test. */
export function useSite(): () => SiteReader {
  let reader: SiteReader | undefined;
  before(async () => {
    if (readerSkip === false) reader = await readSite();
  });
  after(() => reader?.[Symbol.asyncDispose]());
  return () => reader ?? assert.fail("The site is not read yet.");
}

/** Builds and serves the site, and starts a browser. */
async function readSite(): Promise<SiteReader> {
  buildSite();
  await using resources = new AsyncDisposableStack();
  const { url } = resources.use(await serveFolder(built));
  const browser = await launch();
  resources.defer(() => browser.close());
  const release = resources.move();
  return {
    url,
    visit: (path, options, body) => visit(browser, new URL(path, url), options, body),
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

async function visit(
  browser: Browser,
  { href, origin }: URL,
  { width = 1280, colorScheme = "light", isMissing = false, waitsForRequests = false }: VisitOptions,
  body: (page: Page) => Promise<void>,
): Promise<number> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const problems: string[] = [];
  let bytes = 0;
  page.on("pageerror", (error) => problems.push(error.message));
  const isExpected = (address: string): boolean => isMissing && address === href;
  page.on("console", (message) => {
    if (message.type() === "error" && !isExpected(message.location().url)) problems.push(message.text());
  });
  page.on("response", (response) => {
    bytes += Number(response.headers()["content-length"] ?? 0);
    const isCorrect = isExpected(response.url()) ? response.status() === 404 : response.ok();
    if (!response.url().startsWith(origin) || !isCorrect) problems.push(`${response.status()} ${response.url()}`);
  });
  try {
    await page.goto(href, { waitUntil: waitsForRequests ? "networkidle" : "load" });
    await body(page);
  } finally {
    await context.close();
  }
  assert.deepEqual(problems, [], href);
  return bytes;
}
