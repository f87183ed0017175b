// The texts of pages and log entries that a mistake leads to. This file contains no tests.
import { isApplicationFrame, parseStack } from "../../src/core/stack.ts";

/** Entry of the log. */
export interface LogEntry {
  readonly level: string;
  readonly message: string;
  readonly request_id?: string;
  readonly error?: string | { readonly message: string; readonly stack?: string };
}

/** Returns what a page or a problem document says: the error, and the line of the project with its position. */
export function answerText(body: string): string {
  if (body.startsWith("{")) {
    const { detail, stack = [] } = JSON.parse(body) as { readonly detail: string; readonly stack?: readonly string[] };
    return [detail, ...stack.map((frame) => `  at ${frame}`)].join("\n");
  }
  const [main = body] = /<main[^]*?(?=<h2>|<footer>|<p><a)/.exec(body) ?? [];
  return main
    .replaceAll(/<p class="meta">([^<]*:\d+)<\/p>/g, "<p>  at $1</p>")
    .replaceAll(/<li>.*?<\/li>/gs, "")
    .replaceAll(/<li aria-current="true"><span>(\d+)<\/span>/g, "<p>&gt; $1 | ")
    .split(/<\/?(?:p|h1|pre|ol|li|div|main)\b[^>]*>/)
    .map((block) => decodeHtml(block.replaceAll(/<[^>]+>/g, "")))
    .map((text) => (text.startsWith("  at ") ? text : text.replaceAll(/\s+/g, " ").trim()))
    .filter((text) => text !== "")
    .join("\n");
}

const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
const decodeHtml = (text: string): string =>
  text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name] ?? "");

/** Returns the text of a log entry, with the lines of the project at `root`, without time and fields. */
export function entryText({ level, message, error }: LogEntry, root: string): string {
  const head = `${level.toUpperCase()} ${message}`;
  if (error === undefined || typeof error === "string")
    return [head, ...(error === undefined ? [] : [error])].join("\n");
  const frames = parseStack(error.stack ?? "").filter((frame) => isApplicationFrame(frame, root));
  const lines = frames.map(({ file, line, column }) => `  at ${file.slice(root.length + 1)}:${line}:${column}`);
  return [head, error.message, ...lines].join("\n");
}
