import { createInterface } from "node:readline";
import { isError } from "../../core/index.ts";

/** Where questions are asked and answered. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** A question, and what an answer means. An answer that `read` throws an error of the framework for is asked for again. */
export interface Question<T> {
  readonly text: string;
  /** What there is to choose from, in lines above the question. */
  readonly choices?: readonly string[];
  readonly read: (answer: string) => T;
}

/** Somebody who is asked one question after the other. */
export interface Asking {
  /** The answer; `undefined` once Ctrl-C was pressed, or the input has ended. */
  readonly ask: <T>(question: Question<T>) => Promise<T | undefined>;
  readonly wasInterrupted: () => boolean;
  /** Gives the terminal back as it was. */
  readonly close: () => void;
}

/** Begins to ask. What is typed ahead of a question counts as its answer. */
export function startAsking({ input, output }: Terminal): Asking {
  const reader = createInterface({ input, output });
  let wasInterrupted = false;
  reader.on("SIGINT", () => {
    wasInterrupted = true;
    reader.close();
  });
  let isEnded = false;
  reader.once("close", () => (isEnded = true));
  const lines = reader[Symbol.asyncIterator]();
  return {
    ask: async ({ text, choices = [], read }) => {
      for (;;) {
        for (const choice of choices) output.write(`${choice}\n`);
        if (isEnded) output.write(text);
        else {
          reader.setPrompt(text);
          reader.prompt();
        }
        const line = await lines.next();
        if (line.done === true) return undefined;
        try {
          return read(line.value.trim());
        } catch (error) {
          if (!isError(error)) throw error;
          output.write(`${error.message}\n`);
        }
      }
    },
    wasInterrupted: () => wasInterrupted,
    close: () => reader.close(),
  };
}
