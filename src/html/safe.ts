/**
 * HTML that is safe to send: the result of `html` or `unsafeHtml`.
 *
 * It is recognized by a private field, not by its shape, so no parsed JSON can imitate it. `String(fragment)` returns
 * its text.
 */
class SafeHtml {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /** Returns true if the value is an instance of this class. */
  static is(this: void, value: unknown): value is SafeHtml {
    return typeof value === "object" && value !== null && #text in value;
  }
}

/** HTML that is safe to send. Recognized by class, not by shape. `String(fragment)` returns its text. */
export type Html = SafeHtml;

/** Returns true if the value is a result of `html` or `unsafeHtml`. */
export const isHtml: (value: unknown) => value is Html = SafeHtml.is;

/**
 * Declares a text to be safe HTML. The text is neither escaped nor checked: sanitize user input first.
 *
 * @example
 * html`<article>${unsafeHtml(markdownToCleanHtml(text))}</article>`
 */
export function unsafeHtml(text: string): Html {
  return new SafeHtml(text);
}

class SafeJsonText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  static is(this: void, value: unknown): value is SafeJsonText {
    return typeof value === "object" && value !== null && #text in value;
  }
}

/** Result of `json`: JSON that is safe in a script element. Recognized by class, not by shape. */
export type SafeJson = SafeJsonText;

/** Returns true if the value is a result of `json`. */
export const isSafeJson: (value: unknown) => value is SafeJson = SafeJsonText.is;

/** Wraps a text that is valid JSON and contains no character that could end a script element. */
export function trustedJson(text: string): SafeJson {
  return new SafeJsonText(text);
}
