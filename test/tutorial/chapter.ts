import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../sources.ts";

/** Block of a chapter. The word after the language of a fence says what the block is. */
export interface Step {
  /**
   * - `commands`: ```` ```sh ````, run in the project; with `fails`, the last one exits with an error
   * - `output`: ```` ```text ````, the output of the commands above
   * - `file`: ```` ```ts file ````, a whole file, whose path is in the first line
   * - `excerpt`: ```` ```ts excerpt ````, parts of an existing file
   * - `edit`: ```` ```diff ````, a change of an existing file
   */
  readonly kind: "commands" | "output" | "file" | "excerpt" | "edit";
  /** Path in the first line of a file, an excerpt or an edit. */
  readonly path: string;
  readonly text: string;
  readonly flags: readonly string[];
  /** File and line, for messages. */
  readonly location: string;
  /** Position of the text in the chapter. */
  readonly index: number;
}

/** Chapter of the tutorial. */
export interface Chapter {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly steps: readonly Step[];
  /** File names of the screenshots, in order. */
  readonly images: readonly string[];
}

/** Reads a chapter. Throws if a block is none of the kinds above: nothing in a chapter is untested by accident. */
export function readChapter(path: string): Chapter {
  const text = readFileSync(join(root, path), "utf8");
  return {
    path,
    text,
    title: /^# (.+)$/m.exec(text)?.[1] ?? "",
    steps: [...text.matchAll(/^```(\S*)([^\n]*)\n([^]*?)^```$/gm)].flatMap((block) => toStep(path, text, block)),
    images: [...text.matchAll(/\]\(\.\.\/images\/tutorial\/([\w.-]+)\)/g)].map(([, name = ""]) => name),
  };
}

function toStep(path: string, text: string, block: RegExpExecArray): readonly Step[] {
  const [all, language = "", info = "", body = ""] = block;
  const flags = info.trim().split(" ").filter(Boolean);
  const location = `${path}:${text.slice(0, block.index).split("\n").length}`;
  if (flags.includes("ignore")) return [];
  const index = block.index + all.length - body.length - 3;
  if (language === "sh") return [{ kind: "commands", path: "", text: body, flags, location, index }];
  if (language === "text") return [{ kind: "output", path: "", text: body, flags, location, index }];
  const kind =
    language === "diff" ? "edit" : flags.includes("file") ? "file" : flags.includes("excerpt") ? "excerpt" : undefined;
  const [, file, rest] = /^(?:\/\/|#) (\S+)\n([^]*)$/.exec(body) ?? [];
  if (kind === undefined || file === undefined || rest === undefined)
    throw new Error(`${location} is no command, output, file, excerpt or edit`);
  return [{ kind, path: file, text: rest, flags, location, index }];
}
