import { errors } from "../errors.ts";
import { HeaderList } from "./header-list.ts";
import { readAll } from "./request-body.ts";
import { parseTarget, type Target } from "./target.ts";

import {
  type Client,
  defaultServerContext,
  type RequestSource,
  type SentListener,
  type ServerContext,
} from "./request-source.ts";

/** Request target with its parts. */
export interface FetchTarget extends Target {
  /** Path and query, as sent. */
  readonly target: string;
}

interface FetchSourceOptions {
  /** Address of the client. Default `127.0.0.1`. */
  readonly ip?: string;
  /** Target, if it is parsed already. */
  readonly head?: FetchTarget;
  /** Default false. */
  readonly isFromTrustedProxy?: boolean;
}

/** Request source over a Fetch API request, for tests, `app.fetch` and runtimes other than Node. */
export class FetchSource implements RequestSource {
  readonly target: string;
  readonly path: string;
  readonly query: string;
  readonly ip: string;
  readonly server: ServerContext;
  maxBodyBytes: number;
  readonly scheme: "http" | "https";
  readonly isFromTrustedProxy: boolean;
  readonly #request: globalThis.Request;
  #headers: HeaderList | undefined;
  readonly #listeners: SentListener[] = [];
  /** Status of the response, once it was sent. */
  #status: number | undefined;
  readonly #reports: unknown[] = [];

  /** @throws E_TARGET_MALFORMED if the target is not parsed yet and malformed */
  constructor(
    request: globalThis.Request,
    server: ServerContext = defaultServerContext,
    { ip = "127.0.0.1", head = parseUrl(request.url), isFromTrustedProxy = false }: FetchSourceOptions = {},
  ) {
    this.target = head.target;
    this.path = head.path;
    this.query = head.query;
    this.scheme = request.url.startsWith("https:") ? "https" : "http";
    this.ip = ip;
    this.isFromTrustedProxy = isFromTrustedProxy;
    this.server = server;
    this.maxBodyBytes = server.maxBodyBytes;
    this.#request = request;
  }

  get client(): Client {
    return { ip: this.ip };
  }

  get method(): string {
    return this.#request.method;
  }

  /** Header fields, with the host of the URL as `Host`, as every other source has it. */
  get headers(): HeaderList {
    if (this.#headers === undefined) {
      const flat = [...this.#request.headers].flat();
      if (!this.#request.headers.has("host")) flat.push("host", new URL(this.#request.url).host);
      this.#headers = new HeaderList(flat);
    }
    return this.#headers;
  }

  header(name: string): string | undefined {
    return this.headers.get(name);
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  onSent(listener: SentListener): void {
    if (this.#status === undefined) this.#listeners.push(listener);
    else this.#reports.push(listener(this.#status, false));
  }

  /** Calls the listeners of `onSent`, and waits for them: the caller has no other way to do so. */
  async end(status: number): Promise<void> {
    this.#status = status;
    for (const listener of this.#listeners) this.onSent(listener);
    // A listener may add further ones.
    while (this.#reports.length > 0) await Promise.all(this.#reports.splice(0));
  }

  async readBody(): Promise<Uint8Array> {
    const declared = Number(this.#request.headers.get("content-length") ?? 0);
    if (declared > this.maxBodyBytes) throw errors.E_BODY_TOO_LARGE(this.maxBodyBytes);
    return await readAll(this.streamBody());
  }

  streamBody(): ReadableStream<Uint8Array> {
    if (this.#request.bodyUsed) throw errors.E_BODY_USED();
    const { body } = this.#request;
    if (body === null) return new Blob([]).stream();
    let size = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        size += chunk.byteLength;
        if (size > this.maxBodyBytes) throw errors.E_BODY_TOO_LARGE(this.maxBodyBytes);
        controller.enqueue(chunk);
      },
    });
    return body.pipeThrough(counted);
  }
}

/** Returns path and query of a URL. Bun gives the bare target if it cannot build a URL from target and `Host`. */
export function targetOf(url: string): string {
  if (!url.startsWith("http")) return url;
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const hash = url.indexOf("#");
  return start === -1 ? "/" : url.slice(start, hash === -1 ? undefined : hash);
}

function parseUrl(url: string): FetchTarget {
  const target = targetOf(url);
  return { target, ...parseTarget(target) };
}
