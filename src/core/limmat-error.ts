/**
 * Base class of all errors that the framework throws.
 *
 * `code` is stable and documented in `docs/reference/errors.md`. Match on the code, never on the message.
 */
export class LimmatError extends Error {
  /** Stable code, such as `E_SERVICE_CYCLE`. */
  readonly code: string;
  /** HTTP status of the response when nothing catches the error. `undefined` means 500. */
  readonly status: number | undefined;
  /** True if the message may be shown to the client: client errors (4xx) only. */
  readonly expose: boolean;
  /** Values of the message of a client error (4xx), in the order of its function in the catalogue: for other languages. */
  readonly values: readonly unknown[];

  constructor(
    code: string,
    message: string,
    options?: { status?: number; cause?: unknown; values?: readonly unknown[] },
  ) {
    super(message, options !== undefined && "cause" in options ? { cause: options.cause } : undefined);
    this.name = "LimmatError";
    this.code = code;
    this.status = options?.status;
    this.values = options?.values ?? [];
    this.expose = this.status !== undefined && this.status < 500;
  }

  /** Sets the cause and returns the same error: `throw errors.E_X(name).causedBy(error)`. */
  causedBy(cause: unknown): this {
    this.cause = cause;
    return this;
  }
}

/** Message of an error: a text, or a function of the values that it contains. */
type Message = string | ((...values: never[]) => string);

/** Entry of a catalogue: a message, and an HTTP status for errors that become a response. */
export type ErrorEntry = Message | { readonly status?: number; readonly message: Message };

type ValuesOf<Entry> = Entry extends (...values: infer Values) => string
  ? Values
  : Entry extends { readonly message: infer Inner }
    ? ValuesOf<Inner>
    : [];

/** Functions by code. Each creates the error from the values of its message. */
export type Catalogue<Entries extends Readonly<Record<string, ErrorEntry>>> = {
  readonly [Code in keyof Entries & string]: (...values: ValuesOf<Entries[Code]>) => LimmatError;
};

/**
 * Creates the error catalogue of a module from entries by code.
 *
 * @example
 * const errors = catalogue({ E_NAME_TAKEN: { status: 409, message: (name: string) => `"${name}" is taken` } });
 * throw errors.E_NAME_TAKEN("todo");
 */
export function catalogue<const Entries extends Readonly<Record<string, ErrorEntry>>>(
  entries: Entries,
): Catalogue<Entries> {
  const createFactory = ([code, entry]: [string, ErrorEntry]): [string, unknown] => {
    const { message, ...status } = typeof entry === "object" ? entry : { message: entry };
    const textOf = typeof message === "string" ? () => message : message;
    return [
      code,
      (...values: never[]) =>
        new LimmatError(code, textOf(...values), { ...status, ...((status.status ?? 500) < 500 && { values }) }),
    ];
  };
  return Object.freeze(Object.fromEntries(Object.entries(entries).map(createFactory))) as Catalogue<Entries>;
}

/** Returns true if `error` is an error of the framework and has the code, if one is given. */
export function isError(error: unknown, code?: string): error is LimmatError {
  try {
    return error instanceof LimmatError && (code === undefined || error.code === code);
  } catch {
    // A proxy may be revoked, or its trap may throw.
    return false;
  }
}
