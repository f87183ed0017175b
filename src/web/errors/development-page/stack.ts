import { fileURLToPath } from "node:url";

/** One call of a stack. */
export interface Frame {
  /** The function's name; empty for one that has none. */
  readonly name: string;
  /** An absolute path, or what Node says in its place: `node:internal/…`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

const form = /^\s+at (?:(.*) \()?((?:file:\/\/|node:|\/|[A-Za-z]:\\)[^()]*?):(\d+):(\d+)\)?$/;

/** The calls that a stack of V8 lists, the innermost first. Lines that are none are left out. */
export function parseStack(stack: string): readonly Frame[] {
  return stack.split("\n").flatMap((text) => {
    const [, name = "", place = "", line, column] = form.exec(text) ?? [];
    if (place === "") return [];
    return [{ name: name.replace(/^async /, ""), file: pathOf(place), line: Number(line), column: Number(column) }];
  });
}

function pathOf(place: string): string {
  try {
    return place.startsWith("file:") ? fileURLToPath(place) : place;
  } catch {
    return place;
  }
}

/** Whether a call is in the application's own code: below its root, and not in a package. */
export function isOwn(frame: Frame, root: string): boolean {
  return frame.file.startsWith(`${root}/`) && !frame.file.includes("/node_modules/");
}
