import { errors } from "../errors.ts";

/** Headers of a response: values by name, or pairs of name and value. */
export type HeadersInit =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [name: string, value: string]>;

/** Received header fields whose strings are made on demand. */
export interface FieldSource {
  /** Returns all fields: name, value, name, value. */
  toFlat(): readonly string[];
  /** Returns the value of a field, as `HeaderList.get`. */
  header(name: string): string | undefined;
}

/**
 * Header fields in their order. Iterates pairs of name and value, names in lower case. A list that many responses share
 * is checked and turned into text once.
 */
export class HeaderList implements Iterable<readonly [name: string, value: string]> {
  readonly #source: FieldSource | undefined;
  #flat: readonly string[] | undefined;
  #text: string | undefined;
  #isSpecial: boolean | undefined;

  /** @param fields name, value, name, value; not checked. Names are in lower case, unless they were received. */
  constructor(fields: readonly string[] | FieldSource) {
    const isSource = "toFlat" in fields;
    this.#source = isSource ? fields : undefined;
    this.#flat = isSource ? undefined : fields;
  }

  /** Name, value, name, value: the form in which `node:http` gives and takes headers. */
  get flat(): readonly string[] {
    return (this.#flat ??= this.#source?.toFlat() ?? []);
  }

  /** Returns the list of these headers, names in lower case. @throws E_HEADER_INVALID */
  static from(init: HeadersInit): HeaderList {
    if (init instanceof HeaderList) return init;
    const flat: string[] = [];
    const pairs = Symbol.iterator in init ? (init as Iterable<readonly [string, string]>) : Object.entries(init);
    for (const [name, values] of pairs) {
      if (values === undefined) continue;
      for (const value of typeof values === "string" ? [values] : values) flat.push(checkHeader(name, value), value);
    }
    return new HeaderList(flat);
  }

  /**
   * Returns a field by its name in lower case, repeated ones joined by commas, cookies by semicolons (RFC 9110 §5.3).
   */
  get(name: string): string | undefined {
    if (this.#flat === undefined) return this.#source?.header(name);
    const { flat } = this;
    let joined: string | undefined;
    for (let index = 0; index < flat.length; index += 2) {
      const field = flat[index] as string;
      if (field.length !== name.length || (field !== name && field.toLowerCase() !== name)) continue;
      const value = flat[index + 1] as string;
      joined = joined === undefined ? value : `${joined}${name === "cookie" ? "; " : ", "}${value}`;
    }
    return joined;
  }

  /** Returns true if the list has a field of this name, in lower case. */
  has(name: string): boolean {
    const { flat } = this;
    for (let index = 0; index < flat.length; index += 2) if (flat[index] === name) return true;
    return false;
  }

  /** Calls a function with each name and value. An index loop saves the pair that the iterator allocates per header. */
  forEach(visit: (name: string, value: string) => void): void {
    const { flat } = this;
    for (let index = 0; index < flat.length; index += 2) visit(flat[index] as string, flat[index + 1] as string);
  }

  *[Symbol.iterator](): Generator<readonly [name: string, value: string]> {
    const { flat } = this;
    for (let index = 0; index < flat.length; index += 2) {
      yield [(flat[index] as string).toLowerCase(), flat[index + 1] as string];
    }
  }

  /** Returns the fields for which `isKept` is true; the list itself if that is every field. */
  filter(isKept: (name: string, value: string) => boolean): HeaderList {
    const kept: string[] = [];
    this.forEach((name, value) => {
      if (isKept(name, value)) kept.push(name, value);
    });
    return kept.length === this.flat.length ? this : new HeaderList(kept);
  }

  /** Returns the list without the fields that one of the other lists has; the list itself if there are none. */
  without(others: readonly HeaderList[]): HeaderList {
    const { flat } = this;
    for (let index = 0; index < flat.length; index += 2) {
      if (someHasHeader(others, flat[index] as string)) return this.filter((name) => !someHasHeader(others, name));
    }
    return this;
  }

  /**
   * Lines for HTTP/1.1 without `Content-Length`, checked again: a line break would split the response. @throws
   * E_HEADER_INVALID
   */
  get text(): string {
    if (this.#text === undefined) {
      let text = "";
      this.forEach((name, value) => {
        checkValue(name, value);
        if (name !== "content-length") text += `${name}: ${value}\r\n`;
      });
      this.#text = text;
    }
    return this.#text;
  }

  /** True if `node:http` acts on one of the fields, `Content-Length` excepted: framing, connection, date. */
  get isSpecial(): boolean {
    return (this.#isSpecial ??= this.flat.some((field, index) => index % 2 === 0 && isSpecial(field)));
  }
}

/** List without fields. */
export const emptyHeaders: HeaderList = new HeaderList([]);

/** Returns true if one of the lists has a field of this name, in lower case. */
export function someHasHeader(lists: readonly HeaderList[], name: string): boolean {
  for (const list of lists) if (list.has(name)) return true;
  return false;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Returns the name of a field in lower case, once name and value are checked (RFC 9110 §5.1, §5.5).
 *
 * @throws E_HEADER_INVALID if the name is no token, or the value holds CR, LF, NUL or a character beyond Latin-1
 */
export function checkHeader(name: string, value: string): string {
  if (!token.test(name)) throw errors.E_HEADER_INVALID(name);
  checkValue(name, value);
  return name.toLowerCase();
}

function checkValue(name: string, value: string): void {
  if (typeof value !== "string" || !fieldValue.test(value)) throw errors.E_HEADER_INVALID(name);
}

/** Returns true for a field that sets the length of a message or the life of its connection. */
export function isFraming(name: string): boolean {
  switch (name.length) {
    case 7:
      return name === "upgrade";
    case 10:
      return name === "connection" || name === "keep-alive";
    case 14:
      return name === "content-length";
    case 17:
      return name === "transfer-encoding";
    default:
      return false;
  }
}

const isSpecial = (name: string): boolean =>
  (isFraming(name) && name !== "content-length") || name === "date" || name === "trailer" || name === "expect";
