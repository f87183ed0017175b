import { format } from "oxfmt";

/** Number of characters that a code block of the site shows without a scroll bar. */
export const maxLineLength = 82;

/** Breaks the long lines of the TypeScript in Markdown, as the formatter of the repository does. */
export async function formatCodeBlocks(markdown: string): Promise<string> {
  const parts = markdown.split(/(?<=^```tsx?\n)([^]*?)(?=^```$)/m);
  const formatted = await Promise.all(parts.map(async (part, index) => (index % 2 === 1 ? formatCode(part) : part)));
  return formatted.join("");
}

/** Formats a program, a declaration without its value or body, or a method without its class. Other code stays as it is. */
async function formatCode(code: string): Promise<string> {
  // An object alone would become a block of statements.
  if (code.startsWith("{")) return code;
  return (
    (await formatProgram(code, maxLineLength)) ??
    (await formatProgram(`declare ${code}`, maxLineLength))?.replace(/^declare /, "") ??
    (await formatMethod(code)) ??
    code
  );
}

async function formatMethod(code: string): Promise<string | undefined> {
  const indent = "  ";
  const formatted = await formatProgram(`declare class Class {\n${code}\n}`, maxLineLength + indent.length);
  return formatted
    ?.split("\n")
    .slice(1, -2)
    .map((line) => `${line.replace(indent, "")}\n`)
    .join("");
}

/** Returns `undefined` for code that is no program. */
async function formatProgram(code: string, printWidth: number): Promise<string | undefined> {
  const { code: formatted, errors } = await format("code.tsx", code, { printWidth });
  return errors.length === 0 ? formatted : undefined;
}
