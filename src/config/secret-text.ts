import { inspect } from "node:util";

const mask = "•••";

/** Makes `console.log`, `util.inspect` and JSON print an object as `•••`. */
export function hideContent<T extends object>(target: T): T {
  const print = { value: () => mask };
  return Object.defineProperties(target, { [inspect.custom]: print, toJSON: print });
}

/**
 * Value of a secret field. Whatever prints it gets `•••`: template strings, JSON, `console.log`, the log, error messages.
 * `reveal` returns the text.
 */
export class SecretText {
  static {
    hideContent(this.prototype);
  }

  readonly #text: string;

  /** @internal Fields create secret texts. */
  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the text, for the call that needs it. */
  reveal(): string {
    return this.#text;
  }

  /** Returns `•••`. */
  toString(): string {
    return mask;
  }
}
