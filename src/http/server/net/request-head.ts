import { errors } from "../../errors.ts";
import { type FieldSource, HeaderList } from "../../message/header-list.ts";
import { type HeadFields, readField } from "../head-rules.ts";
import { http } from "../node/builtin.ts";

const knownMethods: ReadonlySet<string> = new Set(http.METHODS.filter((method) => method !== "CONNECT"));

/**
 * Head of a request: its text, and the positions of its parts. Strings are made on demand, and copied, because a substring
 * keeps the whole head in memory.
 */
export class RequestHead implements HeadFields, FieldSource {
  readonly method: string;
  /** Request target, as sent. */
  readonly target: string;
  readonly minorVersion: 0 | 1;
  /** Canonical path; "/" for a head that is rejected. */
  path = "/";
  /** Text after the `?` of the target, as sent. */
  query = "";
  host: string | undefined = undefined;
  declaredBytes = 0;
  hasContentLength = false;
  isChunked = false;
  hasContentType = false;
  expectsContinue = false;
  isUpgrade = false;
  isForwarded = false;
  /** True if another request may follow on the connection (RFC 9112 §9.3). False with `Upgrade`: what follows may be no HTTP. */
  keepsAlive: boolean;
  /** Error that refuses the request. The application renders it, and the connection closes afterwards. */
  rejection: unknown = undefined;
  readonly #text: string;
  /** Start and end of the name, start and end of the value, of each header line. */
  readonly #positions: readonly number[];
  #headers: HeaderList | undefined;

  constructor(text: string, line: RequestLine, positions: readonly number[]) {
    this.#text = text;
    this.#positions = positions;
    this.method = methodOf(text, line.methodEnd);
    this.target = copy(text, line.methodEnd + 1, line.targetEnd);
    this.minorVersion = line.minorVersion;
    this.keepsAlive = line.minorVersion === 1;
  }

  /** Number of header lines. */
  get headerCount(): number {
    return this.#positions.length / 4;
  }

  get headers(): HeaderList {
    return (this.#headers ??= new HeaderList(this));
  }

  /** Returns the value of a field, as `HeaderList.get`. */
  header(name: string): string | undefined {
    const text = this.#text;
    const positions = this.#positions;
    let joined: string | undefined;
    for (let index = 0; index < positions.length; index += 4) {
      const start = positions[index] as number;
      if ((positions[index + 1] as number) - start !== name.length || !isNamed(text, start, name)) continue;
      const value = copy(text, positions[index + 2] as number, positions[index + 3] as number);
      joined = joined === undefined ? value : `${joined}${name === "cookie" ? "; " : ", "}${value}`;
    }
    return joined;
  }

  toFlat(): readonly string[] {
    const positions = this.#positions;
    const flat: string[] = [];
    for (let index = 0; index < positions.length; index += 2) {
      flat.push(copy(this.#text, positions[index] as number, positions[index + 1] as number));
    }
    return flat;
  }

  /**
   * Reads the fields that decide about framing and connection.
   *
   * @throws E_METHOD_UNKNOWN, E_HEADERS_TOO_MANY, E_REQUEST_MALFORMED, E_EXPECTATION
   */
  readFields(maxHeaders: number): void {
    const text = this.#text;
    const positions = this.#positions;
    if (!knownMethods.has(this.method)) throw errors.E_METHOD_UNKNOWN(this.method);
    if (this.headerCount > maxHeaders) throw errors.E_HEADERS_TOO_MANY(maxHeaders);
    let options: string | undefined;
    for (let index = 0; index < positions.length; index += 4) {
      const start = positions[index] as number;
      const name = decidingName(text, start, positions[index + 1] as number);
      if (name === undefined) continue;
      const value = text.slice(positions[index + 2], positions[index + 3]);
      if (name !== "connection") readField(this, name, value);
      else options = options === undefined ? value : `${options},${value}`;
    }
    if (options !== undefined) this.keepsAlive = keepsAlive(options, this.minorVersion);
    if (this.isUpgrade) this.keepsAlive = false;
  }
}

/** Positions of the parts of a request line. */
export interface RequestLine {
  readonly methodEnd: number;
  readonly targetEnd: number;
  readonly minorVersion: 0 | 1;
}

/** Returns the method. The two most frequent ones need no new string. */
function methodOf(text: string, end: number): string {
  if (end === 3 && text.startsWith("GET")) return "GET";
  return end === 4 && text.startsWith("POST") ? "POST" : copy(text, 0, end);
}

/** V8 copies substrings below this length, and references the whole text for longer ones. */
const copiedLength = 13;

function copy(text: string, start: number, end: number): string {
  const part = text.slice(start, end);
  // A slice of a concatenation references the flattened concatenation only.
  return end - start < copiedLength ? part : ` ${part}`.slice(1);
}

/** Compares with a name in lower case. Letters are folded, all other characters of a token must be equal. */
function isNamed(text: string, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const code = text.charCodeAt(start + index);
    const wanted = name.charCodeAt(index);
    if (code !== wanted && (code < 0x41 || code > 0x5a || (code | 0x20) !== wanted)) return false;
  }
  return true;
}

/**
 * Returns the name of a field in lower case, if it is `Connection` or one that `readField` reads. Switched by the length of
 * the name and its first letter: most lines need no comparison, and none needs a string.
 */
function decidingName(text: string, start: number, end: number): string | undefined {
  const names = decidingNames[end - start];
  if (names === undefined || (text.charCodeAt(start) | 0x20) !== names[0]?.charCodeAt(0)) return undefined;
  return names.find((name) => isNamed(text, start, name));
}

/** Names by their length. Those of one length have one first letter. */
const decidingNames: readonly (readonly string[] | undefined)[] = [
  "host expect upgrade connection content-type content-length content_length x-forwarded-for transfer-encoding",
  "transfer_encoding",
].reduce<string[][]>((lists, line) => {
  for (const name of line.split(" ")) (lists[name.length] ??= []).push(name);
  return lists;
}, []);

/** Returns true unless the options of `Connection` close the connection (RFC 9112 §9.3). */
function keepsAlive(options: string, minorVersion: 0 | 1): boolean {
  if (options === "keep-alive") return true;
  const list = options.toLowerCase().split(",");
  const has = (option: string): boolean => list.some((item) => item.trim() === option);
  return !has("close") && (minorVersion === 1 || has("keep-alive"));
}
