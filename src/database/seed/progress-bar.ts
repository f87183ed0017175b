import type { Command } from "../../core/index.ts";

const barWidth = 30;

/** Progress bar of one seed. */
export interface ProgressBar {
  readonly show: (done: number, total: number) => void;
  /** Clears the line of the bar. */
  readonly clear: () => void;
}

/** Creates a progress bar on the standard error. It draws nothing unless both output streams are terminals. */
export function progressBar(name: string, output: Command.Output): ProgressBar {
  if (!output.isTerminal || !process.stderr.isTTY) return { show: () => {}, clear: () => {} };
  let drawnLine = "";
  return {
    show: (done, total) => {
      const fraction = total <= 0 ? 1 : Math.min(1, Math.max(0, done / total));
      const filled = Math.round(fraction * barWidth);
      const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
      const line = `${name} ${bar} ${Math.round(fraction * 100)} %`;
      if (line === drawnLine) return;
      drawnLine = line;
      process.stderr.write(`\r${line}`);
    },
    clear: () => {
      if (drawnLine !== "") process.stderr.write(`\r${" ".repeat(drawnLine.length)}\r`);
    },
  };
}
