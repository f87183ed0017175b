// The examples of the documents contain nothing that the default content security policy blocks.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { documentBlocks } from "./document-examples.ts";
import { root } from "./sources.ts";

/** Pages about the policy itself. A test runs their examples in a browser: `test/browser/content-security-policy.long.test.ts`. */
const otherPages = ["docs/guide/content-security-policy.md"];

/** Markup that the default policy blocks. */
const blocked: readonly (readonly [reason: string, pattern: RegExp])[] = [
  [
    "an inline script without a nonce",
    /<script(?![^>]*\b(?:src|nonce)=)(?![^>]*\btype="application\/(?:ld\+)?json")/gi,
  ],
  ["an inline style sheet without a nonce", /<style(?![^>]*\bnonce=)/gi],
  ["an event handler attribute", /<[a-z][^<>]*\son[a-z]+\s*=/gi],
  ["a style attribute", /<[a-z][^<>]*\sstyle\s*=/gi],
  ["an attribute with code", /<[a-z][^<>]*\s(?:hx-on|hx-live|x-[a-z]+|@[a-z]+)\b/gi],
  ["a value that is code", /\shx-[a-z]+(?::[a-z]+)*\s*=\s*["'](?:js|javascript):/gi],
  ["a filter of a trigger", /\shx-trigger\s*=\s*["'][^"']*\[/gi],
  ["a JavaScript URL", /=\s*["']javascript:/gi],
  [
    "a resource of another site",
    /<(?:script|img|iframe|embed|audio|video|source|track)\b[^<>]*\ssrc\s*=\s*["'](?:https?:)?\/\//gi,
  ],
  ["a style sheet of another site", /<link\b[^<>]*\shref\s*=\s*["'](?:https?:)?\/\//gi],
  ["a form of another site", /<form\b[^<>]*\saction\s*=\s*["'](?:https?:)?\/\//gi],
  ["an element that is blocked", /<(?:base|object|embed)\b/gi],
  ["code in a text", /\b(?:eval|new Function)\(|\bset(?:Timeout|Interval)\(\s*["'`]/g],
];

/** Returns what is blocked in a text, as `reason: match`. */
const findBlocked = (text: string): readonly string[] =>
  blocked.flatMap(([reason, pattern]) => [...text.matchAll(pattern)].map(([match]) => `${reason}: ${match}`));

test("no example is blocked by the default content security policy", () => {
  const documents = ["README.md", ...globSync("docs/**/*.md", { cwd: root })].filter(
    (document) => !otherPages.includes(document.replaceAll("\\", "/")),
  );
  const examples = documents
    .flatMap(documentBlocks)
    .filter(({ language }) => ["ts", "tsx", "html", "diff"].includes(language));
  assert.deepEqual(
    examples.flatMap(({ document, line, code }) => findBlocked(code).map((match) => `${document}:${line} ${match}`)),
    [],
  );
  assert.ok(examples.filter(({ code }) => code.includes("html`")).length > 20);
});

const samples: readonly string[] = [
  "<script>run()</script>",
  "<script type='module'>run()</script>",
  "<style>",
  '<button class="a" onclick="run()">',
  '<p style="color: red">',
  '<button hx-on:click="run()">',
  '<button hx-vals="js:values()">',
  '<button hx-trigger="click[ctrlKey]">',
  '<div x-data="{}">',
  '<button @click="open = true">',
  '<a href="javascript:run()">',
  '<script async src="https://example.com/a.js">',
  '<img alt="" src="//example.com/a.png">',
  '<link rel="stylesheet" href="https://example.com/a.css">',
  '<form method="post" action="https://example.com">',
  '<base href="/">',
  'eval("run()")',
  'setTimeout("run()", 5)',
];

for (const sample of samples) {
  test(`finds what the policy blocks: ${sample}`, () => assert.equal(findBlocked(sample).length, 1));
}

test("accepts what the policy allows", () => {
  const allowed = `<script src="\${asset("a.js")}"></script><script nonce="\${nonce}">run()</script><style nonce="\${nonce}"></style>
    <script type="application/json" id="a">{}</script><img src="/files/\${id}"><form action="/todos"><a href="https://example.com">
    <link rel="stylesheet" href="/app.css"><button data-confirm="Sure?" hx-get="/a">setTimeout(run, 5)`;
  assert.deepEqual(findBlocked(allowed), []);
});
