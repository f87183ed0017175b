import { styleText } from "node:util";
import type { Command } from "../../core/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";

const announceAfterMs = Time.seconds(2);

/** Prints a line with the duration of each step. A step that takes longer than 2 s is announced as well. */
export class Progress {
  readonly #output: Command.Output;

  constructor(output: Command.Output) {
    this.#output = output;
  }

  /** Runs a step and prints its line. `task` may pass a detail to the line. */
  async step<T>(label: string, task: (setDetail: (detail: string) => void) => Promise<T>): Promise<T> {
    const startMs = Time.monotonic();
    let detail = "";
    const cancel = TimeInternals.after(announceAfterMs, () => this.#output.note(`  … ${label}`), { keepAlive: false });
    let hasFailed = true;
    try {
      const result = await task((text) => (detail = text));
      hasFailed = false;
      return result;
    } finally {
      cancel();
      const mark = styleText(hasFailed ? "red" : "green", hasFailed ? "✗" : "✓", { validateStream: false });
      const seconds = ((Time.monotonic() - startMs) / 1000).toFixed(1).padStart(5);
      this.#output.note(`  ${mark} ${seconds} s  ${label}${detail === "" ? "" : ` (${detail})`}`);
    }
  }

  /** Prints a remark. */
  note(text: string): void {
    this.#output.note(`    ${text}`);
  }
}
