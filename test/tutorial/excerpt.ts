import assert from "node:assert/strict";

/** Checks that a file contains each part of an excerpt. A line with `…` stands for other lines. */
export function checkExcerpt(text: string, excerpt: string, location: string): void {
  for (const part of excerpt.split(/^.*…\n/m)) {
    assert.ok(text.includes(part.replace(/^\n+/, "").trimEnd()), `${location}: the file contains this:\n${part}`);
  }
}
