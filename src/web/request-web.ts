import { errors } from "./errors.ts";
import { findHeader } from "./header.ts";
import { parseTarget } from "./path.ts";
import { noServer, type RequestServer } from "./request-server.ts";
import type { RequestSource } from "./request-source.ts";

/** Reads a web-standard request: what tests, `app.fetch` and hosts other than Node bring. */
export class WebSource implements RequestSource {
  readonly target: string;
  readonly path: string;
  readonly query: string;
  readonly ip: string;
  readonly server: RequestServer;
  bodyLimit: number;
  readonly scheme: "http" | "https";
  readonly #request: globalThis.Request;
  #rawHeaders: readonly string[] | undefined;

  constructor(request: globalThis.Request, server: RequestServer = noServer, ip = "127.0.0.1") {
    const { url } = request;
    const pathAt = url.indexOf("/", url.indexOf("://") + 3);
    const hash = url.indexOf("#");
    this.target = pathAt === -1 ? "/" : url.slice(pathAt, hash === -1 ? undefined : hash);
    const { path, query } = parseTarget(this.target);
    this.path = path;
    this.query = query;
    this.scheme = url.startsWith("https:") ? "https" : "http";
    this.ip = ip;
    this.server = server;
    this.bodyLimit = server.bodyLimit;
    this.#request = request;
  }

  get method(): string {
    return this.#request.method;
  }

  /** A web-standard request has its host in its URL; here it is a header as on every other way in. */
  get rawHeaders(): readonly string[] {
    if (this.#rawHeaders === undefined) {
      const flat = [...this.#request.headers].flat();
      if (!this.#request.headers.has("host")) flat.push("host", new URL(this.#request.url).host);
      this.#rawHeaders = flat;
    }
    return this.#rawHeaders;
  }

  header(name: string): string | undefined {
    return findHeader(this.rawHeaders, name);
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  async readBody(): Promise<Uint8Array> {
    const declared = Number(this.#request.headers.get("content-length") ?? 0);
    if (declared > this.bodyLimit) throw errors.E_BODY_TOO_LARGE(this.bodyLimit);
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.streamBody()) chunks.push(chunk);
    return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
  }

  streamBody(): ReadableStream<Uint8Array> {
    if (this.#request.bodyUsed) throw errors.E_BODY_USED();
    const { body } = this.#request;
    if (body === null) return new Blob([]).stream();
    let size = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        size += chunk.byteLength;
        if (size > this.bodyLimit) throw errors.E_BODY_TOO_LARGE(this.bodyLimit);
        controller.enqueue(chunk);
      },
    });
    return body.pipeThrough(counted);
  }
}
