import { suppressUnhandledRejection } from "../core/index.ts";
import { errors } from "./errors.ts";
import { type HtmlValue, type Printer, printText } from "./print.ts";
import type { Template } from "./template.ts";

/** Value that `html.stream` prints: a value of `html`, or a promise, list or async iterable of such values. */
export type StreamValue = SettledValue | Promise<SettledValue>;

type SettledValue = HtmlValue | HtmlStream | AsyncIterable<StreamValue> | readonly StreamValue[];

/** Minimum length of a chunk that is sent without waiting for a value, in characters. */
const minChunkLength = 16_384;

/**
 * HTML that is printed while it is sent: an async iterable of strings, each a chunk of HTML.
 *
 * The text printed so far is sent before each wait for a value. A rejected value ends the iteration with its error. If
 * the consumer stops early, the async iterable that is being read is closed.
 */
export class HtmlStream implements AsyncIterable<string> {
  readonly #template: Template;
  readonly #values: readonly StreamValue[];

  constructor(template: Template, values: readonly StreamValue[]) {
    this.#template = template;
    this.#values = values;
    // A promise may reject while an earlier value is awaited. The iteration still throws its error in its turn.
    values.forEach(suppressUnhandledRejection);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    let chunk = "";
    for await (const piece of this.#print()) {
      if (piece !== flush) chunk += piece;
      if (chunk.length < minChunkLength && (piece !== flush || chunk === "")) continue;
      yield chunk;
      chunk = "";
    }
    if (chunk !== "") yield chunk;
  }

  async *#print(): AsyncGenerator<string | typeof flush, void, undefined> {
    const { parts, printers } = this.#template;
    yield parts[0] as string;
    for (const [index, value] of this.#values.entries()) {
      yield* printStreamValue(value, printers[index] as Printer);
      yield parts[index + 1] as string;
    }
  }

  /** Returns true if the value is an instance of this class. */
  static is(this: void, value: unknown): value is HtmlStream {
    return typeof value === "object" && value !== null && #template in value;
  }

  static print(stream: HtmlStream): AsyncIterable<string | typeof flush> {
    return stream.#print();
  }
}

/** Returns true if the value is a result of `html.stream`. */
export const isHtmlStream: (value: unknown) => value is HtmlStream = HtmlStream.is;

/** Signal before a wait: the text printed so far is to be sent. */
const flush: unique symbol = Symbol("flush");

async function* printStreamValue(
  value: StreamValue,
  printer: Printer,
): AsyncGenerator<string | typeof flush, void, undefined> {
  if (value instanceof Promise) {
    yield flush;
    yield* printStreamValue(await value, printer);
  } else if (!isAsynchronous(value)) {
    yield printer(value);
  } else if (printer !== printText) {
    throw errors.E_HTML_VALUE("a list or stream in this position", "It is allowed between tags.");
  } else if (value instanceof HtmlStream) {
    yield* HtmlStream.print(value);
  } else if (Array.isArray(value)) {
    for (const item of value as readonly StreamValue[]) yield* printStreamValue(item, printer);
  } else {
    yield flush;
    for await (const item of value as AsyncIterable<StreamValue>) {
      yield* printStreamValue(item, printer);
      yield flush;
    }
  }
}

function isAsynchronous(value: StreamValue): boolean {
  if (Array.isArray(value))
    return (value as readonly StreamValue[]).some((item) => item instanceof Promise || isAsynchronous(item));
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
