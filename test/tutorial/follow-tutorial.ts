// Follows the tutorial in docs/tutorial, chapter by chapter, in a new project.
import assert from "node:assert/strict";
import { globSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browserSkip, launch } from "../browser/chromium.ts";
import { type PackedFramework, packFramework } from "../new-project/package.ts";
import { postgresql } from "../servers/postgresql.ts";
import { findServer } from "../servers/server.ts";
import { root } from "../sources.ts";
import { type Chapter, readChapter } from "./chapter.ts";
import { Reader, type ReaderOptions } from "./reader.ts";
import { scenes } from "./scenes.ts";
import { exampleSources } from "./patch.ts";
import type { Files } from "./share.ts";

/** True if the outputs and screenshots of the chapters are written instead of compared. */
export const updates: boolean = process.env["UPDATE_TUTORIAL"] === "1";
/** Folder of the screenshots. */
export const images: string = join(root, "docs/images/tutorial");
/** Chapters of the tutorial, in order. */
export const chapters: readonly Chapter[] = globSync("docs/tutorial/[0-9]*.md", { cwd: root }).sort().map(readChapter);

let framework: PackedFramework;
let reader: Reader;
let browser: Browser | undefined;
let page: Page | undefined;
let failedChapter: string | undefined;
/** Sources before the last chapter, which moves their texts to catalogues. */
let untranslated: Files = {};
const releases: (() => Promise<void>)[] = [];

/** Options of `followChapters`. */
interface FollowOptions {
  /** True to play the scenes of the chapters before, because those of the first chapter use their data. Default: false. */
  readonly needsData?: boolean;
}

/** Defines the tests of the chapters from number `first` to `last`. The chapters before are replayed. */
export function followChapters(first: number, last: number, { needsData = false }: FollowOptions = {}): void {
  before(async () => {
    framework = packFramework();
    const databases = last === chapters.length ? await findPostgresql() : undefined;
    reader = new Reader(framework, { collectsCorrections: updates, postgresql: databases });
    if (browserSkip === false) {
      browser = await launch();
      // One page for all chapters: the reader stays logged in.
      const context = await browser.newContext({ viewport: { width: 960, height: 600 } });
      page = await context.newPage();
    }
    const earlier = chapters.slice(0, first - 1);
    for (const chapter of earlier) await reader.replay(chapter);
    if (needsData && page !== undefined) await playScenes(earlier, page);
  });
  after(async () => {
    for (const release of releases.toReversed()) await release();
    await browser?.close();
    framework?.[Symbol.dispose]();
    if (updates && reader !== undefined) writeCorrections();
  });

  for (const chapter of chapters.slice(first - 1, last)) {
    test(chapter.title, async (context) => {
      if (failedChapter !== undefined) return context.skip(`${failedChapter} has failed`);
      failedChapter = chapter.path;
      if (chapter === chapters.at(-1)) untranslated = reader.sources();
      await reader.follow(chapter);
      if (page === undefined) context.diagnostic(`no screenshots: ${browserSkip}`);
      else await playScene(chapter, page);
      failedChapter = undefined;
    });
  }
}

/** Defines the test of the project after the last chapter. */
export function compareWithExample(): void {
  test("the tutorial leads to the tracker of the examples, of which generators write at least 80 % before it is translated", (context) => {
    if (failedChapter !== undefined) return context.skip(`${failedChapter} has failed`);
    const example = join(root, "examples/tracker");
    const files = exampleSources();
    const sources = reader.sources();
    // Chapter 10 changes the project to PostgreSQL.
    const services = sources["service/service.ts"]?.replaceAll("postgresql", "sqlite") ?? "";
    const written: Files = { ...sources, "service/service.ts": services };
    const differing = [...new Set([...Object.keys(files), ...Object.keys(written)])]
      .filter((path) => files[path] !== written[path])
      .sort();
    if (updates) {
      for (const path of differing) {
        if (written[path] === undefined) rmSync(join(example, path));
        else writeFileSync(join(example, path), written[path]);
      }
    } else assert.deepEqual(differing, []);
    const share = reader.generatedShareOf(untranslated);
    context.diagnostic(`${(share * 100).toFixed(1)} % of the example is generated, before it is translated`);
    assert.ok(share >= 0.8, `${share}`);
  });
}

/** Creates two databases on a PostgreSQL server. Returns `undefined` without a server. */
async function findPostgresql(): Promise<ReaderOptions["postgresql"]> {
  const server = await findServer(postgresql);
  if (server === undefined) {
    if (process.env["CI"] === "true") throw new Error("The last chapter needs a PostgreSQL server");
    return undefined;
  }
  releases.push(server.stop);
  const [app, tests] = [await postgresql.createDatabase(server.url), await postgresql.createDatabase(server.url)];
  releases.push(app.drop, tests.drop);
  return { app: app.url, tests: tests.url };
}

/** Uses the pages of chapters as the reader does. */
async function playScenes(played: readonly Chapter[], target: Page): Promise<void> {
  await using server = await reader.serve();
  for (const { path } of played) {
    await scenes[basename(path, ".md")]?.({ page: target, url: server.url, show: async () => {} });
  }
}

/** Uses the pages of a chapter as the reader does. Takes its screenshots in update mode. */
async function playScene({ path, images: names }: Chapter, target: Page): Promise<void> {
  const scene = scenes[basename(path, ".md")];
  if (scene === undefined) return assert.deepEqual(names, [], path);
  await using server = await reader.serve();
  const shown: string[] = [];
  await scene({
    page: target,
    url: server.url,
    show: async (name) => {
      shown.push(name);
      if (!updates) return;
      const content = await target.locator("body").boundingBox();
      const clip = { x: 0, y: 0, width: 960, height: Math.min(760, Math.ceil(content?.height ?? 760)) };
      await target.screenshot({
        path: join(images, name),
        fullPage: true,
        clip,
        animations: "disabled",
        caret: "hide",
      });
    },
  });
  assert.deepEqual(shown.sort(), names.toSorted(), `screenshots of ${path}`);
}

/** Writes the outputs of the commands into the chapters. */
function writeCorrections(): void {
  const corrections = Map.groupBy(reader.corrections, ({ step }) => step.location.replace(/:\d+$/, ""));
  for (const [path, list] of corrections) {
    let { text } = readChapter(path);
    for (const { step, text: shown } of list.toReversed()) {
      text = text.slice(0, step.index) + shown + text.slice(step.index + step.text.length);
    }
    writeFileSync(join(root, path), text);
  }
}
