import { readFileSync } from "node:fs";
import type { Frame } from "./stack.ts";

/** A line of source text. */
export interface SourceLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** The line of a call with those around it; empty when the file cannot be read. */
export function excerpt({ file, line }: Frame, around: number): readonly SourceLine[] {
  const first = Math.max(1, line - around);
  return linesOf(file)
    .slice(first - 1, line + around)
    .map((text, index) => ({ number: first + index, text: text.slice(0, 500) }));
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}
