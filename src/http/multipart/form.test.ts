// What the tests of this folder share: bodies as clients write them, and what is read from them. It holds no tests.
import { Request } from "../message/request.ts";
import type { UploadLimits } from "./part.ts";

export const boundary = "----limmat-7f";

/** The body of a form, its parts given as header lines and content. */
export function formOf(...parts: readonly (readonly [header: string, content: string | Uint8Array])[]): Buffer {
  const pieces = parts.flatMap(([header, content]) => [`--${boundary}\r\n${header}\r\n\r\n`, content, "\r\n"]);
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)));
}

export const fieldHeader = (name: string): string => `Content-Disposition: form-data; name="${name}"`;
export const fileHeader = (name: string, filename: string, type = "text/plain"): string =>
  `${fieldHeader(name)}; filename="${filename}"\r\nContent-Type: ${type}`;

/** A request with a body that arrives in these chunks. */
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

/** What was read of a part. */
export interface Read {
  readonly name: string;
  readonly filename?: string;
  readonly contentType?: string;
  readonly content: string;
}

/** Reads all parts. Contents are text with one character for each byte, values of fields are as they are. */
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

/** The code with which reading fails; of one that does not, what was read. */
export async function outcome(body: Uint8Array | string, limits?: UploadLimits, type?: string): Promise<unknown> {
  try {
    return await readAll(requestOf([Buffer.from(body)], type === undefined ? {} : { type }), limits);
  } catch (error) {
    return (error as { readonly code?: unknown }).code ?? error;
  }
}
