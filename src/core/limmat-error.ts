/**
 * The base of every error that the framework throws.
 *
 * `code` is stable and documented in `docs/reference/errors.md`: match on it, never on the message.
 */
export class LimmatError extends Error {
  /** The stable code, such as `E_SERVICE_CYCLE`. */
  readonly code: string;
  /** The HTTP status that a request ends with when nothing catches the error; `undefined` means 500. */
  readonly status: number | undefined;
  /** Whether the message may be shown to the client. True for client errors (4xx), false for all else. */
  readonly expose: boolean;

  constructor(code: string, message: string, options?: { status?: number; cause?: unknown }) {
    super(message, options !== undefined && "cause" in options ? { cause: options.cause } : undefined);
    this.name = "LimmatError";
    this.code = code;
    this.status = options?.status;
    this.expose = this.status !== undefined && this.status < 500;
  }

  /** The same error, with what led to it: `throw errors.E_X(name).causedBy(error)`. */
  causedBy(cause: unknown): this {
    this.cause = cause;
    return this;
  }
}

/** One entry of a catalogue: how the message is made, and the HTTP status where the error belongs to one. */
export interface ErrorEntry {
  readonly status?: number;
  readonly message: (...values: never[]) => string;
}

/** A function per code that makes the error from the values its message needs. */
export type Catalogue<Entries extends Readonly<Record<string, ErrorEntry>>> = {
  readonly [Code in keyof Entries & string]: (...values: Parameters<Entries[Code]["message"]>) => LimmatError;
};

/**
 * Makes the catalogue of a room from its entries, keyed by code.
 *
 * @example
 * const errors = catalogue({ E_NAME_TAKEN: { status: 409, message: (name: string) => `"${name}" is taken` } });
 * throw errors.E_NAME_TAKEN("todo");
 */
export function catalogue<const Entries extends Readonly<Record<string, ErrorEntry>>>(
  entries: Entries,
): Catalogue<Entries> {
  const make = ([code, entry]: [string, ErrorEntry]): [string, unknown] => [
    code,
    (...values: never[]) =>
      new LimmatError(code, entry.message(...values), entry.status === undefined ? {} : { status: entry.status }),
  ];
  return Object.freeze(Object.fromEntries(Object.entries(entries).map(make))) as Catalogue<Entries>;
}

/** Whether `error` is an error of the framework, and of the code if one is given. */
export function isError(error: unknown, code?: string): error is LimmatError {
  return error instanceof LimmatError && (code === undefined || error.code === code);
}
