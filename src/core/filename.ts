// Control characters, and those that turn the direction of writing: they make "exe.gpj" look like "jpg.exe".
const unwanted = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** What a file is called: the last part of a path on any system, one line, at most 200 characters. */
export function cleanFilename(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const shown = last.replaceAll(unwanted, "").trim();
  if (shown === "" || shown === "." || shown === "..") return "file";
  if (shown.length <= 200) return shown;
  const ending = /\.[^.]{1,15}$/.exec(shown)?.[0] ?? "";
  // Half of a character may be left where it was cut.
  return shown.slice(0, 200 - ending.length).replace(/[\ud800-\udbff]$/, "") + ending;
}
