import { errors } from "../errors.ts";
import { decodeChunks, type FormEntries } from "../message/request-body.ts";
import { defaultMaxBodyBytes, type ServerContext } from "../message/request-source.ts";
import type { NextChunk } from "../server/body.ts";
import { BufferedReader, PartContent } from "./part-content.ts";
import { maxPartHeaderBytes, parseBoundary, parsePartHeader } from "./header.ts";
import type { Part, UploadLimits } from "./part.ts";
import { ChunkList, isError } from "../../core/index.ts";

/** Members of `Request` that `partsOf` uses. An import of its type would form a cycle of three files. */
interface MultipartRequest {
  readonly body: ReadableStream<Uint8Array>;
  readonly server: ServerContext;
  header(name: string): string | undefined;
}

/** Iterates the parts of the body of a request. Implements `Request.parts`. */
export async function* partsOf(request: MultipartRequest, limits: UploadLimits): AsyncGenerator<Part, void> {
  const boundary = parseBoundary(request.header("content-type"));
  const reader = request.body.getReader();
  try {
    yield* readParts(async () => (await reader.read()).value, boundary, {
      maxFiles: 10,
      maxFileBytes: Infinity,
      maxFields: request.server.maxParameters,
      maxFieldsBytes: defaultMaxBodyBytes,
      ...limits,
    });
  } finally {
    // Cancelling a body that has ended or failed rejects.
    await reader.cancel().catch(() => {});
  }
}

/**
 * Parses a multipart form as it arrives (RFC 7578, RFC 2046 §5.1). It buffers no more than a chunk, and the fields up to
 * their limit. Bytes before the first delimiter and after the last one are ignored, and count as fields.
 *
 * @throws E_BODY_MALFORMED, E_TOO_MANY_FILES, E_TOO_MANY_PARAMETERS, E_FILE_TOO_LARGE, E_FIELDS_TOO_LARGE, and the errors
 *   of `next`
 */
async function* readParts(
  next: NextChunk,
  boundary: string,
  limits: Required<UploadLimits>,
): AsyncGenerator<Part, void> {
  // A delimiter begins with a line break, which the first one of a body may omit.
  const reader = new BufferedReader(Buffer.from("\r\n"), next);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let fileCount = 0;
  let fieldCount = 0;
  let remainingFieldBytes = limits.maxFieldsBytes;
  const countFieldBytes = (bytes: number): void => {
    remainingFieldBytes -= bytes;
    if (remainingFieldBytes < 0) throw errors.E_FIELDS_TOO_LARGE(limits.maxFieldsBytes);
  };
  const preamble = new PartContent(reader, delimiter, "");
  let hasPreamble = false;
  for (let chunk = await preamble.next(); chunk !== undefined; chunk = await preamble.next()) {
    hasPreamble = true;
    countFieldBytes(chunk.length);
  }
  while (!(await isFinalDelimiter(reader))) {
    const header = await readHeader(reader);
    const { name, filename, contentType } = parsePartHeader(header);
    const content = new PartContent(reader, delimiter, name);
    // An `<input type="file">` without a chosen file sends an empty name and no content.
    if (filename !== undefined && (filename !== "" || !(await content.isEmpty()))) {
      if (++fileCount > limits.maxFiles) throw errors.E_TOO_MANY_FILES(limits.maxFiles);
      yield content.asFile(filename === "" ? "file" : filename, contentType, limits.maxFileBytes);
      await content.skip();
      continue;
    }
    if (++fieldCount > limits.maxFields) throw errors.E_TOO_MANY_PARAMETERS("form", limits.maxFields);
    countFieldBytes(header.length);
    const value = new ChunkList();
    for (let chunk = await content.next(); chunk !== undefined; chunk = await content.next()) {
      countFieldBytes(chunk.length);
      value.append(chunk);
    }
    if (filename === undefined) yield { kind: "field", name, value: decodeChunks(value.consume()) };
  }
  if (hasPreamble && fileCount + fieldCount === 0)
    throw errors.E_BODY_MALFORMED("has only one boundary of its Content-Type");
  // The epilogue is read to its end, so that the connection can carry another request.
  do countFieldBytes(reader.received.consume().length);
  while (await reader.fill());
}

/** Reads the rest of a delimiter's line, white space included (RFC 2046 §5.1.1). Returns true for the final one. */
async function isFinalDelimiter(reader: BufferedReader): Promise<boolean> {
  const { received } = reader;
  let end = received.bytes.indexOf("\r\n", 0, "latin1");
  while (end === -1 && received.size <= maxPartHeaderBytes) {
    const from = Math.max(0, received.size - 1);
    if (!(await reader.fill())) break;
    end = received.bytes.indexOf("\r\n", from, "latin1");
  }
  const line = received.consume(end === -1 ? received.size : end + 2).toString("latin1");
  const [match, dashes] = /^(--)?[ \t]*(?:\r\n)?$/.exec(line) ?? [];
  if (match === undefined || line.length > maxPartHeaderBytes) {
    throw errors.E_BODY_MALFORMED("has a boundary that does not end its line");
  }
  return dashes !== undefined;
}

/** Reads the header lines of a part, without the empty line and the last line break. */
async function readHeader(reader: BufferedReader): Promise<Uint8Array> {
  for (let from = 0; ;) {
    const { received } = reader;
    const end = received.bytes.indexOf("\r\n\r\n", from, "latin1");
    if ((end === -1 ? received.size : end) > maxPartHeaderBytes) {
      throw errors.E_BODY_MALFORMED(`has a part with a header of more than ${maxPartHeaderBytes} bytes`);
    }
    if (end !== -1) return received.consume(end + 4).subarray(0, end);
    from = Math.max(0, received.size - 3);
    await reader.requireMore();
  }
}

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
  const readChunks = new ChunkList();
  let failure: unknown;
  const next = async (): Promise<Uint8Array | undefined> => {
    const { value } = await reader.read().catch((error: unknown) => {
      failure = error;
      throw error;
    });
    if (value !== undefined) readChunks.append(value);
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
  return { fields, bytesRead: readChunks.size, body: rewind(readChunks.consume(), reader) };
}

/** Returns the body again: the chunks that were read, then the rest. */
function rewind(readChunks: Uint8Array[], reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull: async (controller) => {
        const chunk = readChunks.shift() ?? (await reader.read()).value;
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
