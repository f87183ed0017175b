// A client that sends bytes unchanged, where an HTTP client would correct them.
import { connect, type Socket } from "node:net";

/** True if the server on `node:net` answers: its parser is stricter than that of `node:http`. */
export const isNet: boolean = process.env["HTTP_SERVER"] !== "node";

/** Response, as received. */
export interface WireAnswer {
  readonly status: number;
  /** Header fields as sent, names in lower case, repeated fields repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly header: (name: string) => string | undefined;
}

/** Everything received on a connection until the server closed it. */
export interface Exchange {
  /** Final responses, in order. */
  readonly answers: readonly WireAnswer[];
  /** Statuses of all responses, including 1xx. */
  readonly statuses: readonly number[];
  /** Bytes that do not form a complete response. Empty for valid HTTP. */
  readonly rest: string;
  readonly raw: string;
  /** True if the server closed the connection within the timeout. */
  readonly isClosed: boolean;
}

/** Options of an exchange. */
export interface ExchangeOptions {
  /** True to half-close the connection after the last byte, so that the server sees the end of the request. Default false. */
  readonly halfClose?: boolean;
  /** Timeout for the server to close the connection, in milliseconds. Default 120,000. */
  readonly timeoutMs?: number;
  /** Bytes sent when the first response begins to arrive. */
  readonly follow?: string;
  /** Methods of the requests: responses to HEAD have no body. */
  readonly heads?: boolean;
  /** Number of bytes per write, each in a separate packet if the system allows it. Default: one write. */
  readonly piece?: number;
}

/** Sends bytes (Latin-1, one per character) on a new connection and reads until the server closes it. */
export function exchange(port: number, bytes: string, options: ExchangeOptions = {}): Promise<Exchange> {
  const { halfClose = false, timeoutMs = 120_000, follow, heads = false, piece = bytes.length } = options;
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let raw = "";
    let hasFollowed = follow === undefined;
    const finish = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...parseAnswers(raw, heads), raw, isClosed });
    };
    const timer = setTimeout(() => finish(false), timeoutMs);
    socket.setNoDelay(true).setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      raw += chunk;
      if (hasFollowed) return;
      hasFollowed = true;
      socket.write(Buffer.from(follow ?? "", "latin1"));
    });
    socket.on("error", () => finish(true)).on("end", () => finish(true));
    for (let at = 0; at < bytes.length; at += piece) socket.write(Buffer.from(bytes.slice(at, at + piece), "latin1"));
    if (halfClose) socket.end();
  });
}

/** Parses received bytes into responses (RFC 9112 §6.3). */
export function parseAnswers(raw: string, heads = false): Omit<Exchange, "raw" | "isClosed"> {
  const answers: WireAnswer[] = [];
  const statuses: number[] = [];
  let rest = raw;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) break;
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
    if (Number.isNaN(status)) break;
    const headers = lines.map((line) => pairOf(line));
    const header = (name: string): string | undefined => headers.find(([candidate]) => candidate === name)?.[1];
    const after = rest.slice(end + 4);
    const isBodiless = heads || status < 200 || status === 204 || status === 304;
    const taken = isBodiless ? { body: "", length: 0 } : takeBody(after, header);
    if (taken === undefined) break;
    statuses.push(status);
    if (status >= 200) answers.push({ status, headers, body: taken.body, header });
    rest = after.slice(taken.length);
  }
  return { answers, statuses, rest };
}

function pairOf(line: string): readonly [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function takeBody(
  text: string,
  header: (name: string) => string | undefined,
): { readonly body: string; readonly length: number } | undefined {
  if (header("transfer-encoding") === "chunked") return takeChunks(text);
  const length = Number(header("content-length") ?? Number.NaN);
  if (Number.isNaN(length)) return { body: text, length: text.length };
  return text.length < length ? undefined : { body: text.slice(0, length), length };
}

function takeChunks(text: string): { readonly body: string; readonly length: number } | undefined {
  let body = "";
  let at = 0;
  for (;;) {
    const end = text.indexOf("\r\n", at);
    if (end === -1) return undefined;
    const size = Number.parseInt(text.slice(at, end), 16);
    at = end + 2 + size + 2;
    if (text.length < at || Number.isNaN(size)) return undefined;
    body += text.slice(end + 2, end + 2 + size);
    if (size === 0) return { body, length: at };
  }
}

/** Opens a connection. The caller must destroy the socket. */
export function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

/** Connection for requests in series. */
export class KeepAlive {
  readonly #socket: Socket;
  #raw = "";
  #settle: ((answer: WireAnswer | undefined) => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true).setEncoding("latin1");
    socket.on("data", (chunk: string) => this.#read(chunk));
    for (const end of ["end", "error", "close"]) socket.on(end, () => this.#finish(undefined));
  }

  /** Sends a request and returns its response; `undefined` if the connection was closed first. */
  ask(request: string): Promise<WireAnswer | undefined> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#raw = "";
      if (this.#socket.destroyed || this.#socket.readableEnded) this.#finish(undefined);
      else this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#raw += chunk;
    const [answer] = parseAnswers(this.#raw).answers;
    if (answer !== undefined) this.#finish(answer);
  }

  #finish(answer: WireAnswer | undefined): void {
    this.#settle?.(answer);
    this.#settle = undefined;
  }
}

/** Maps items with limited concurrency. Returns the results in the order of the items. */
export async function pooled<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T);
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}
