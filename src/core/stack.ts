import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Frame of a stack trace. */
export interface Frame {
  /** Name of the function; empty for an anonymous one. */
  readonly name: string;
  /** Absolute path, or the name of a Node module: `node:internal/…`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const framePattern = /^\s+at (?:async )?(?:(.*) \()?((?:file:\/\/|node:|\/|[A-Za-z]:\\)[^()]*?):(\d+):(\d+)\)?$/;

/** Parses a V8 stack trace, the innermost frame first. Lines that are not frames are left out. */
export function parseStack(stack: string): readonly Frame[] {
  return stack.split("\n").flatMap((text) => {
    const [, name = "", location = "", line, column] = framePattern.exec(text) ?? [];
    if (location === "") return [];
    return [{ name, file: pathOf(location), line: Number(line), column: Number(column) }];
  });
}

function pathOf(location: string): string {
  try {
    return location.startsWith("file:") ? fileURLToPath(location) : location;
  } catch {
    return location;
  }
}

/** Returns true if a frame lies below the root of the application and not in a package. */
export function isApplicationFrame(frame: Frame, root: string): boolean {
  return frame.file.startsWith(`${root}/`) && !frame.file.includes("/node_modules/");
}

/** Line of source text. */
export interface SourceLine {
  /** Line number, from 1. */
  readonly number: number;
  readonly text: string;
}

/** Returns the line of a frame with the lines around it; empty if the file cannot be read. */
export function sourceExcerpt(
  { file, line }: Pick<Frame, "file" | "line">,
  contextLines: number,
): readonly SourceLine[] {
  const first = Math.max(1, line - contextLines);
  return linesOf(file)
    .slice(first - 1, line + contextLines)
    .map((text, index) => ({ number: first + index, text: text.slice(0, 500) }));
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}
