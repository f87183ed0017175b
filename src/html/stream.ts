import { errors } from "./errors.ts";
import { type HtmlValue, type Printer, printText } from "./print.ts";
import type { Template } from "./template.ts";

/** What `html.stream` prints: what `html` prints, and what is still to come. */
export type StreamValue = Settled | Promise<Settled>;

type Settled = HtmlValue | HtmlStream | AsyncIterable<StreamValue> | readonly StreamValue[];

/** How much text is gathered before it is handed on, in characters. */
const chunkSize = 16_384;

/**
 * A page that is printed while it is sent: an async iterable of texts, each a chunk of HTML.
 *
 * What is ready is handed on whenever the next value has to be waited for. A value that fails ends the iteration with
 * its error. A consumer that stops early closes the async iterable that is being read.
 */
export class HtmlStream implements AsyncIterable<string> {
  readonly #template: Template;
  readonly #values: readonly StreamValue[];

  constructor(template: Template, values: readonly StreamValue[]) {
    this.#template = template;
    this.#values = values;
    // A promise may fail while an earlier value is awaited; whoever reads the stream gets the error at its place.
    values.forEach(handleLater);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string, void, undefined> {
    let ready = "";
    for await (const piece of this.#pieces()) {
      if (piece !== waiting) ready += piece;
      if (ready.length < chunkSize && (piece !== waiting || ready === "")) continue;
      yield ready;
      ready = "";
    }
    if (ready !== "") yield ready;
  }

  async *#pieces(): AsyncGenerator<string | typeof waiting, void, undefined> {
    const { parts, printers } = this.#template;
    yield parts[0] as string;
    for (const [index, value] of this.#values.entries()) {
      yield* pieces(value, printers[index] as Printer);
      yield parts[index + 1] as string;
    }
  }

  /** Whether the value is a page that is printed while it is sent. */
  static is(this: void, value: unknown): value is HtmlStream {
    return typeof value === "object" && value !== null && #template in value;
  }

  static piecesOf(stream: HtmlStream): AsyncIterable<string | typeof waiting> {
    return stream.#pieces();
  }
}

/** Whether the value was made by `html.stream`, and by nothing else. */
export const isHtmlStream: (value: unknown) => value is HtmlStream = HtmlStream.is;

/** Stands between pieces where the stream is about to wait. */
const waiting: unique symbol = Symbol("waiting");

async function* pieces(value: StreamValue, printer: Printer): AsyncGenerator<string | typeof waiting, void, undefined> {
  if (value instanceof Promise) {
    yield waiting;
    yield* pieces(await value, printer);
  } else if (!isLater(value)) {
    yield printer(value);
  } else if (printer !== printText) {
    throw errors.E_HTML_VALUE("a list or stream in this place", "It goes between tags.");
  } else if (value instanceof HtmlStream) {
    yield* HtmlStream.piecesOf(value);
  } else if (Array.isArray(value)) {
    for (const item of value as readonly StreamValue[]) yield* pieces(item, printer);
  } else {
    yield waiting;
    for await (const item of value as AsyncIterable<StreamValue>) {
      yield* pieces(item, printer);
      yield waiting;
    }
  }
}

/** Whether a value, or one in a list, is not there yet. */
function isLater(value: StreamValue): boolean {
  if (Array.isArray(value))
    return (value as readonly StreamValue[]).some((item) => item instanceof Promise || isLater(item));
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function handleLater(value: StreamValue): void {
  if (value instanceof Promise) value.catch(() => {});
  else if (Array.isArray(value)) (value as readonly StreamValue[]).forEach(handleLater);
}
