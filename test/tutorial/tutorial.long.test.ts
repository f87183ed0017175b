// The first chapters of the tutorial. To write the outputs and screenshots that all chapters show:
// UPDATE_TUTORIAL=1 node --conditions=@limmat/source --test test/tutorial/tutorial.long.test.ts
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { root } from "../sources.ts";
import { chapters, compareWithExample, followChapters, images, updates } from "./follow-tutorial.ts";

const maxImageBytes = 60_000;

test("the tutorial has eleven chapters, which end with green tests and are listed in its README", () => {
  assert.equal(chapters.length, 11);
  const list = readFileSync(join(root, "docs/tutorial/README.md"), "utf8");
  for (const { path, title, steps } of chapters) {
    const commands = steps.filter(({ kind }) => kind === "commands").map(({ text }) => text);
    assert.match(commands.at(-1) ?? "", /^npm test\nnpm run check\n$/m, path);
    assert.ok(list.includes(`[${title.replace(/^\d+\. /, "")}](${basename(path)})`), path);
  }
});

followChapters(1, updates ? chapters.length : 4);
if (updates) compareWithExample();

test("the screenshots are small, and every one is shown", () => {
  const files = readdirSync(images);
  assert.deepEqual(files.sort(), chapters.flatMap((chapter) => chapter.images).sort());
  for (const file of files) assert.ok(statSync(join(images, file)).size <= maxImageBytes, file);
});
