import { createReadStream } from "node:fs";
import { HeaderList } from "./header-list.ts";
import { FileBody, type ResponseBody, type StreamBody } from "./response-body.ts";

/** What a response consists of. */
export interface ResponseParts {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: ResponseBody;
}

/** The parts of a web-standard response. Its body is passed on as a stream. A network error becomes a 500. */
export function fromStandard(response: globalThis.Response): ResponseParts {
  return {
    status: response.status === 0 ? 500 : response.status,
    headers: new HeaderList([...response.headers].flat()),
    body: response.body ?? undefined,
  };
}

/** A web-standard response of these parts. */
export function toStandard({ status, headers, body }: ResponseParts): globalThis.Response {
  const standard = new Headers();
  headers.forEach((name, value) => standard.append(name, value));
  return new globalThis.Response(isBodiless(status) ? null : standardBody(body), { status, headers: standard });
}

/** Whether a response of this status never has a body (RFC 9110 §15.3.5, §15.3.6, §15.4.5). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304 || status === 205;
}

function standardBody(body: ResponseBody): ConstructorParameters<typeof globalThis.Response>[0] {
  if (body === undefined) return null;
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>;
  if (body instanceof ReadableStream) return body;
  return ReadableStream.from(encoded(body)) as ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** The chunks of a body that is neither text nor bytes. */
export function chunksOf(
  body: FileBody | StreamBody,
): AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array> {
  if (!(body instanceof FileBody)) return body;
  const { path, start, length } = body;
  return createReadStream(path, length === undefined ? { start } : { start, end: start + length - 1 });
}

/** Opens a file only when the first chunk is asked for: nobody closes one whose body is never read. */
async function* encoded(body: FileBody | StreamBody): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(body)) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}
