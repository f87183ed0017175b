// Control characters, line separators and bidirectional marks. The latter make "exe.gpj" look like "jpg.exe".
const unsafeCharacters = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns a safe file name: the last part of a path of any operating system, on one line, at most 200 characters. */
export function sanitizeFilename(path: string): string {
  const basename = path.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const name = basename.replaceAll(unsafeCharacters, "").trim();
  if (name === "" || name === "." || name === "..") return "file";
  if (name.length <= 200) return name;
  const extension = /\.[^.]{1,15}$/.exec(name)?.[0] ?? "";
  // The cut can split a surrogate pair: drop its first half.
  return name.slice(0, 200 - extension.length).replace(/[\ud800-\udbff]$/, "") + extension;
}
