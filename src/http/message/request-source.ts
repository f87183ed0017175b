import type { HeaderList } from "./header-list.ts";
import type { ServerContext } from "./server-context.ts";

/**
 * What a request is read from: a connection of `node:http`, or a web-standard request. A host that the framework does
 * not know yet implements this, and nothing else.
 */
export interface RequestSource {
  /** As sent. */
  readonly method: string;
  /** As sent: path and query, `*`, or an absolute URL. */
  readonly target: string;
  /** The query of the target, as sent, without `?`; its escapes were checked. */
  readonly query: string;
  /** Header fields as sent. */
  readonly headers: HeaderList;
  /** A header by its name in lower case. Repeated ones are joined by commas (cookies by semicolons). */
  header(name: string): string | undefined;
  /** The address of the client. */
  readonly ip: string;
  readonly scheme: "http" | "https";
  readonly server: ServerContext;
  /** Bytes that the body may have. A middleware may change it before the body is read, or while it is streamed. */
  maxBodyBytes: number;
  /** Aborted when the client goes before the answer is complete. */
  readonly signal: AbortSignal;
  /**
   * The whole body.
   *
   * @throws E_BODY_TOO_LARGE (rejects) without reading on, E_CLIENT_GONE
   */
  readBody(): Promise<Uint8Array>;
  /**
   * The body as it arrives, no faster than it is asked for, errors as those of `readBody`. How much of it there will be is
   * not looked at before it comes.
   */
  streamBody(): ReadableStream<Uint8Array>;
}

/** What is read from a request once and kept, shared by all copies of it. */
export class RequestCache {
  /** Whether a client that states no wish gets JSON. */
  prefersJson = false;
  id: string | undefined;
  route: string | undefined;
  query: URLSearchParams | undefined;
  cookies: readonly (readonly [name: string, value: string])[] | undefined;
  url: URL | undefined;
  bytes: Promise<Uint8Array> | undefined;
  json: Promise<unknown> | undefined;
  form: Promise<readonly (readonly [name: string, value: string])[]> | undefined;
  stream: ReadableStream<Uint8Array> | undefined;
  leading: Promise<readonly (readonly [name: string, value: string])[]> | undefined;
  /** The body of a request whose leading fields were read, and how many bytes were read for them. */
  replay: { readonly size: number; readonly body: ReadableStream<Uint8Array> } | undefined;
  values: Map<object, unknown> | undefined;
}
