import { isError } from "../../core/index.ts";
import type { FormEntries } from "../message/request-body.ts";
import { boundaryOf } from "./boundary.ts";
import { readParts } from "./read-parts.ts";

/** What was read of a body to know its first fields. */
export interface Leading {
  readonly fields: FormEntries;
  /** Bytes that were read. */
  readonly size: number;
  /** The body from its first byte on. */
  readonly body: ReadableStream<Uint8Array>;
}

/**
 * Reads the fields of a multipart form that stand before its first file, and no further. A form that cannot be read, or
 * has more of them than the limits allow, has none: whoever reads it afterwards finds out why.
 *
 * @throws what the body throws.
 */
export async function readLeading(
  body: ReadableStream<Uint8Array>,
  contentType: string | undefined,
  limits: { readonly fields: number; readonly fieldsSize: number },
): Promise<Leading> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let failure: unknown;
  const next = async (): Promise<Uint8Array | undefined> => {
    const { value } = await reader.read().catch((error: unknown) => {
      failure = error;
      throw error;
    });
    if (value !== undefined) {
      chunks.push(value);
      size += value.length;
    }
    return value;
  };
  const fields: (readonly [name: string, value: string])[] = [];
  try {
    for await (const part of readParts(next, boundaryOf(contentType), { files: 1, fileSize: 0, ...limits })) {
      if (part.kind === "file") break;
      fields.push([part.name, part.value]);
    }
  } catch (error) {
    if (failure !== undefined || !isError(error)) throw error;
    fields.length = 0;
  }
  return { fields, size, body: replay(chunks, reader) };
}

function replay(
  chunks: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream(
    {
      pull: async (controller) => {
        const chunk = at < chunks.length ? chunks[at++] : (await reader.read()).value;
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
