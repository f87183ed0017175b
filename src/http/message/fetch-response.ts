import { createReadStream } from "node:fs";
import { HeaderList } from "./header-list.ts";
import { FileBody, type ResponseBody, type StreamBody } from "./response-body.ts";

/** Fields of a response. */
export interface ResponseParts {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: ResponseBody;
}

/** Returns the fields of a Fetch API response, with its body as a stream. A network error becomes a 500. */
export function fromStandard(response: globalThis.Response): ResponseParts {
  return {
    status: response.status === 0 ? 500 : response.status,
    headers: new HeaderList([...response.headers].flat()),
    body: response.body ?? undefined,
  };
}

/** Converts a response to a Fetch API response. */
export function toStandard({ status, headers, body }: ResponseParts): globalThis.Response {
  const standard = new Headers();
  headers.forEach((name, value) => standard.append(name, value));
  return new globalThis.Response(isBodiless(status) ? null : standardBody(body), { status, headers: standard });
}

/** Returns true if a response with this status has no body (RFC 9110 §15.3.5, §15.3.6, §15.4.5). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304 || status === 205;
}

function standardBody(body: ResponseBody): ConstructorParameters<typeof globalThis.Response>[0] {
  if (body === undefined) return null;
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  if (body instanceof ReadableStream) return body;
  return ReadableStream.from(encodeChunks(body)) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Returns the chunks of a file or a stream. */
export function bodyChunks(
  body: FileBody | StreamBody,
): AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array> {
  if (!(body instanceof FileBody)) return body;
  const { path, start, length } = body;
  return createReadStream(path, length === undefined ? { start } : { start, end: start + length - 1 });
}

/** Encodes chunks as UTF-8. The file is opened for the first chunk: a body that is never read would leave it open. */
async function* encodeChunks(body: FileBody | StreamBody): AsyncGenerator<Uint8Array> {
  for await (const chunk of bodyChunks(body)) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}
