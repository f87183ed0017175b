// A client that sends bytes as they are: what an attacker types, where a proper client would tidy it up.
import { connect, type Socket } from "node:net";

/** One answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** As sent, names in lower case; repeated ones repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly header: (name: string) => string | undefined;
}

/** All that came back on one connection until the server closed it. */
export interface Exchange {
  /** The final answers, in order; without 1xx ones. */
  readonly answers: readonly WireAnswer[];
  /** The statuses of all answers, 1xx ones included. */
  readonly statuses: readonly number[];
  /** Bytes that are no whole answer. Empty when the server speaks HTTP. */
  readonly rest: string;
  readonly raw: string;
  /** Whether the server had closed the connection when the time was up. */
  readonly isClosed: boolean;
}

/** How bytes are sent and answers read. */
export interface ExchangeOptions {
  /** Says that nothing more comes, which also tells the server that a request was cut short. Default false. */
  readonly halfClose?: boolean;
  /** How long the server may take to close the connection, in milliseconds. Default 30,000. */
  readonly patience?: number;
  /** Sent once the first answer has begun to arrive. */
  readonly follow?: string;
  /** Methods of the requests, to know which answers have no body. */
  readonly heads?: boolean;
  /** Sends so many bytes at a time, each in a packet of its own where the system allows it. Default: all at once. */
  readonly piece?: number;
}

/** Sends bytes (Latin-1, one per character) on a connection of their own and reads until the server closes it. */
export function exchange(port: number, bytes: string, options: ExchangeOptions = {}): Promise<Exchange> {
  const { halfClose = false, patience = 30_000, follow, heads = false, piece = bytes.length } = options;
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let raw = "";
    let hasFollowed = follow === undefined;
    const finish = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ ...parseAnswers(raw, heads), raw, isClosed });
    };
    const timer = setTimeout(() => finish(false), patience);
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

/** Cuts what came over the wire into answers (RFC 9112 §6.3). */
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

/** Connects and leaves everything else to the caller, who must destroy the socket. */
export function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

/** A connection that carries one request after the other. */
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

  /** Sends a request and gives its answer; `undefined` when the connection ended before one came. */
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

/** Runs work on many items, some at a time, and gives what came of it in the order of the items. */
export async function pooled<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T);
  };
  await Promise.all(Array.from({ length: width }, lane));
  return results;
}
