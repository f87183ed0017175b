import { createInterface } from "node:readline";
import { isError } from "../../core/index.ts";

/** Streams of an interactive terminal. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Question of a prompt. If `parse` throws an error of the framework, its message is printed and the question repeated.
 */
export interface Question<T> {
  readonly text: string;
  /** Choices, printed as lines above the question. */
  readonly choices?: readonly string[];
  readonly parse: (answer: string) => T;
}

/** Interactive prompt that asks one question at a time. */
export interface Prompt {
  /** Asks a question. Resolves to `undefined` after Ctrl-C or the end of the input. */
  readonly ask: <T>(question: Question<T>) => Promise<T | undefined>;
  readonly wasInterrupted: () => boolean;
  /** Restores the terminal. */
  readonly close: () => void;
}

/** Opens a prompt. Lines typed before a question answer it. */
export function openPrompt({ input, output }: Terminal): Prompt {
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
    ask: async ({ text, choices = [], parse }) => {
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
          return parse(line.value.trim());
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
