import { isError } from "../../core/index.ts";
import { ChunkBuffer } from "../message/chunk-buffer.ts";
import type { FormEntries } from "../message/request-body.ts";
import { parseBoundary } from "./header.ts";
import type { UploadLimits } from "./part.ts";
import { readParts } from "./parts.ts";

/** Result of `readFieldsBeforeFiles`. */
export interface FieldsBeforeFiles {
  readonly fields: FormEntries;
  /** Number of body bytes that were read. */
  readonly bytesRead: number;
  /** Body from its first byte on. */
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * Reads the fields of a multipart form before its first file, and no further. Returns no fields for a form that is
 * malformed or over the limits: the next read of the body reports the error.
 *
 * @throws the errors of the body
 */
export async function readFieldsBeforeFiles(
  body: ReadableStream<Uint8Array>,
  contentType: string | undefined,
  limits: Required<Pick<UploadLimits, "maxFields" | "maxFieldsBytes">>,
): Promise<FieldsBeforeFiles> {
  const reader = body.getReader();
  const readBytes = new ChunkBuffer();
  let failure: unknown;
  const next = async (): Promise<Uint8Array | undefined> => {
    const { value } = await reader.read().catch((error: unknown) => {
      failure = error;
      throw error;
    });
    if (value !== undefined) readBytes.append(value);
    return value;
  };
  const fields: (readonly [name: string, value: string])[] = [];
  try {
    for await (const part of readParts(next, parseBoundary(contentType), { maxFiles: 1, maxFileBytes: 0, ...limits })) {
      if (part.kind === "file") break;
      fields.push([part.name, part.value]);
    }
  } catch (error) {
    if (failure !== undefined || !isError(error)) throw error;
    fields.length = 0;
  }
  return { fields, bytesRead: readBytes.size, body: rewind(readBytes.bytes, reader) };
}

/** Returns the body again: the bytes that were read, in one chunk, then the rest. */
function rewind(readBytes: Uint8Array, reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  let chunk: Uint8Array | undefined = readBytes.length > 0 ? readBytes : undefined;
  return new ReadableStream(
    {
      pull: async (controller) => {
        chunk ??= (await reader.read()).value;
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
        chunk = undefined;
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
