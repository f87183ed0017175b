// Only the types of the classes are exported: declarations of applications can name them, but only this file makes values.
export type { Html, SafeJson };

/**
 * HTML that is safe to send: the result of `html` or `unsafeHtml`. `String(fragment)` returns its text.
 *
 * It is recognized by a private field, not by its shape, so no parsed JSON can imitate it.
 */
class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  /** Returns true if the value is an instance of this class. */
  static is(this: void, value: unknown): value is Html {
    return typeof value === "object" && value !== null && #text in value;
  }
}

/** Returns true if the value is a result of `html` or `unsafeHtml`. */
export const isHtml: (value: unknown) => value is Html = Html.is;

/**
 * Declares a text to be safe HTML. The text is neither escaped nor checked: sanitize user input first.
 *
 * @example
 * html`<article>${unsafeHtml(markdownToCleanHtml(text))}</article>`
 */
export function unsafeHtml(text: string): Html {
  return new Html(text);
}

/** Result of `json`: JSON that is safe in a script element. Recognized by class, not by shape. */
class SafeJson {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }

  static is(this: void, value: unknown): value is SafeJson {
    return typeof value === "object" && value !== null && #text in value;
  }
}

/** Returns true if the value is a result of `json`. */
export const isSafeJson: (value: unknown) => value is SafeJson = SafeJson.is;

/** Wraps a text that is valid JSON and contains no character that could end a script element. */
export const trustedJson = (text: string): SafeJson => new SafeJson(text);
