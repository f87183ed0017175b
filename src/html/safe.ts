/**
 * A piece of HTML that is safe to send: made by `html`, or vouched for with `unsafeHtml`.
 *
 * It is known by a private field, never by its shape, so that no decoded JSON can pass for it. `String(piece)` is its
 * text.
 */
class SafeHtml {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /** Whether the value is a piece of HTML. */
  static is(this: void, value: unknown): value is SafeHtml {
    return typeof value === "object" && value !== null && #text in value;
  }
}

/** A piece of HTML that is safe to send. Known by class, never by shape; `String(piece)` is its text. */
export type Html = SafeHtml;

/** Whether the value is a piece of HTML: made by `html` or `unsafeHtml`, and by nothing else. */
export const isHtml: (value: unknown) => value is Html = SafeHtml.is;

/**
 * Declares a text to be HTML. Nothing is escaped and nothing is checked: whatever a visitor typed must have been
 * cleaned before.
 *
 * @example
 * html`<article>${unsafeHtml(markdownToCleanHtml(text))}</article>`
 */
export function unsafeHtml(text: string): Html {
  return new SafeHtml(text);
}

/** A value that is printed as JSON, where a page holds a script. */
class JsonValue {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  static is(this: void, value: unknown): value is JsonValue {
    return typeof value === "object" && value !== null && #text in value;
  }
}

/** What `json` gives. */
export type Json = JsonValue;

export const isJson: (value: unknown) => value is Json = JsonValue.is;

/** Wraps a text that is valid JSON and holds no character with which HTML could end a script. */
export function wrapJson(text: string): Json {
  return new JsonValue(text);
}
