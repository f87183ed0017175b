import type { Command } from "../../core/index.ts";

const width = 30;

/** A bar for a seed: drawn on the standard error where that is a terminal and a person looks on, else nothing. */
export function bar(
  name: string,
  output: Command.Output,
): { readonly show: (done: number, total: number) => void; readonly end: () => void } {
  if (!output.isTerminal || !process.stderr.isTTY) return { show: () => {}, end: () => {} };
  let drawn = "";
  return {
    show: (done, total) => {
      const part = total <= 0 ? 1 : Math.min(1, Math.max(0, done / total));
      const filled = Math.round(part * width);
      const line = `${name} ${"█".repeat(filled)}${"░".repeat(width - filled)} ${Math.round(part * 100)} %`;
      if (line === drawn) return;
      drawn = line;
      process.stderr.write(`\r${line}`);
    },
    end: () => {
      if (drawn !== "") process.stderr.write(`\r${" ".repeat(drawn.length)}\r`);
    },
  };
}
