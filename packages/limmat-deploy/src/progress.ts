import { styleText } from "node:util";
import { type Command, Time } from "limmat";

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
    const announcement = setTimeout(() => this.#output.note(`  … ${label}`), announceAfterMs).unref();
    let hasFailed = true;
    try {
      const result = await task((text) => (detail = text));
      hasFailed = false;
      return result;
    } finally {
      clearTimeout(announcement);
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
