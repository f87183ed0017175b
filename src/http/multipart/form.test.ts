// Shared by the tests of this folder: bodies as clients send them, and their parsed parts. It contains no tests.
import { Request } from "../message/request.ts";
import type { UploadLimits } from "./part.ts";

export const boundary = "----limmat-7f";

/** Builds the body of a form from the header lines and content of its parts. */
export function formOf(...parts: readonly (readonly [header: string, content: string | Uint8Array])[]): Buffer {
  const pieces = parts.flatMap(([header, content]) => [`--${boundary}\r\n${header}\r\n\r\n`, content, "\r\n"]);
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)));
}

export const fieldHeader = (name: string): string => `Content-Disposition: form-data; name="${name}"`;
export const fileHeader = (name: string, filename: string, type = "text/plain"): string =>
  `${fieldHeader(name)}; filename="${filename}"\r\nContent-Type: ${type}`;

/** Creates a request whose body arrives in these chunks. */
export function requestOf(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  options: { readonly type?: string; readonly headers?: Record<string, string>; readonly bodyLimit?: number } = {},
): Request {
  const { type = `multipart/form-data; boundary=${boundary}`, headers = {}, bodyLimit = 100_000_000 } = options;
  const init = {
    method: "POST",
    body: ReadableStream.from(chunks),
    duplex: "half",
    headers: { "content-type": type, ...headers },
  } as RequestInit;
  return Request.from(new globalThis.Request("http://localhost/", init), { maxBodyBytes: bodyLimit });
}

/** Parsed part. */
export interface Read {
  readonly name: string;
  readonly filename?: string;
  readonly contentType?: string;
  readonly content: string;
}

/** Reads all parts. Contents are text with one character per byte. */
export async function readAll(request: Request, limits?: UploadLimits): Promise<Read[]> {
  const read: Read[] = [];
  for await (const part of request.parts(limits)) {
    if (part.kind === "field") read.push({ name: part.name, content: part.value });
    else {
      const { name, filename, contentType } = part;
      const pieces: Uint8Array[] = [];
      for await (const piece of part) pieces.push(piece);
      read.push({ name, filename, contentType, content: Buffer.concat(pieces).toString("latin1") });
    }
  }
  return read;
}

/** Returns the error code of a read, or its result. */
export async function outcome(body: Uint8Array | string, limits?: UploadLimits, type?: string): Promise<unknown> {
  try {
    return await readAll(requestOf([Buffer.from(body)], type === undefined ? {} : { type }), limits);
  } catch (error) {
    return (error as { readonly code?: unknown }).code ?? error;
  }
}
