import assert from "node:assert/strict";

/** Applies an edit to the text of a file. `@@` separates the parts; each occurs once in the file. */
export function applyEdit(text: string, edit: string, location: string): string {
  return edit.split(/^@@\n/m).reduce((changed, part) => {
    const lines = part.split(/(?<=\n)/);
    const side = (sign: "-" | "+"): string =>
      lines
        // Editors remove the space of an empty line.
        .filter((line) => line.startsWith(" ") || line.startsWith(sign) || line === "\n")
        .map((line) => (line === "\n" ? line : line.slice(1)))
        .join("");
    assert.equal(changed.split(side("-")).length, 2, `${location}: the file contains this once:\n${side("-")}`);
    return changed.replace(side("-"), () => side("+"));
  }, text);
}

/** Checks that a file contains each part of an excerpt. A line with `…` stands for other lines. */
export function checkExcerpt(text: string, excerpt: string, location: string): void {
  for (const part of excerpt.split(/^.*…\n/m)) {
    assert.ok(text.includes(part.replace(/^\n+/, "").trimEnd()), `${location}: the file contains this:\n${part}`);
  }
}
