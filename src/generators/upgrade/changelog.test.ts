import assert from "node:assert/strict";
import { test } from "node:test";
import { parseChangelog, sectionsSince } from "./changelog.ts";

const changelog = `# Changelog

Introduction.

## Unreleased

- **Sessions** (breaking): sessions last
  30 days.
- **Names**: many.

## Contributors

- **Nobody**: no change.

## 0.2.0 (2026-11-23)

- **Form** (deprecated): use \`fields\`.
- **Safe migrations** ([guide](docs/guide.md)): batches.
- **Mails** of accounts are HTML.
- **Cache** (fixed): no leak.

## 0.1.0 (unreleased)
`;

test("parses versions, dates, and entries with their kind", () => {
  const sections = parseChangelog(changelog);
  assert.deepEqual(
    sections.map(({ version, date }) => [version, date]),
    [
      [undefined, undefined],
      ["0.2.0", "2026-11-23"],
      ["0.1.0", undefined],
    ],
  );
  assert.deepEqual(sections[0]?.entries, [
    { topic: "Sessions", kind: "breaking", text: "sessions last 30 days." },
    { topic: "Names", kind: "change", text: "many." },
  ]);
  assert.deepEqual(
    sections[1]?.entries.map(({ topic, kind, text }) => [topic, kind, text]),
    [
      ["Form", "deprecated", "use `fields`."],
      ["Safe migrations", "change", "batches."],
      ["Mails", "change", "of accounts are HTML."],
      ["Cache", "fixed", "no leak."],
    ],
  );
});

test("selects the sections after a version, or all for an unknown one", () => {
  const sections = parseChangelog(changelog);
  assert.deepEqual(sectionsSince(sections, "0.2.0").length, 1);
  assert.deepEqual(sectionsSince(sections, "0.1.0").length, 2);
  assert.deepEqual(sectionsSince(sections, "0.0.9").length, 3);
  assert.deepEqual(sectionsSince(sections, undefined).length, 3);
});
