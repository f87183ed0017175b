import { errors } from "../errors.ts";
import type { NextChunk } from "../server/body.ts";
import { decodeText } from "../message/request-body.ts";
import { ByteWindow } from "./byte-window.ts";
import { Content } from "./content.ts";
import type { Part, UploadLimits } from "./part.ts";
import { headerSize, parsePartHeader } from "./part-header.ts";

/**
 * Takes a multipart form apart as it arrives (RFC 7578, RFC 2046 §5.1). No more is held than a chunk, and the fields up to
 * their limit.
 *
 * @throws E_BODY_MALFORMED, E_TOO_MANY_FILES, E_TOO_MANY_PARAMETERS, E_FILE_TOO_LARGE, E_FIELDS_TOO_LARGE, and what `next`
 *   throws.
 */
export async function* readParts(
  next: NextChunk,
  boundary: string,
  limits: Required<UploadLimits>,
): AsyncGenerator<Part, void> {
  // The line break in front of the first boundary is left out in a body.
  const window = new ByteWindow(Buffer.from("\r\n"), next);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let files = 0;
  let fields = 0;
  let room = limits.fieldsSize;
  await expectFirst(window, delimiter);
  while (!(await isLast(window))) {
    const block = await readHeader(window);
    const { name, filename, contentType } = parsePartHeader(block);
    const content = new Content(window, delimiter, name);
    // What stands in the place of a file that was not chosen has no name, and no content.
    if (filename !== undefined && (filename !== "" || !(await content.isEmpty()))) {
      if (++files > limits.files) throw errors.E_TOO_MANY_FILES(limits.files);
      yield content.asFile(filename === "" ? "file" : filename, contentType, limits.fileSize);
      await content.skip();
      continue;
    }
    if (++fields > limits.fields) throw errors.E_TOO_MANY_PARAMETERS("form", limits.fields);
    room -= block.length;
    const pieces: Uint8Array[] = [];
    for (let piece = await content.next(); piece !== undefined; piece = await content.next()) {
      room -= piece.length;
      if (room < 0) break;
      pieces.push(piece);
    }
    if (room < 0) throw errors.E_FIELDS_TOO_LARGE(limits.fieldsSize);
    if (filename === undefined) yield { kind: "field", name, value: decodeText(Buffer.concat(pieces)) };
  }
}

async function expectFirst(window: ByteWindow, delimiter: Buffer): Promise<void> {
  await demand(window, delimiter.length);
  if (!window.take(delimiter.length).equals(delimiter)) {
    throw errors.E_BODY_MALFORMED("does not begin with the boundary of its Content-Type");
  }
}

/** Whether the boundary that was just read is the last one. Nothing may stand behind that but a line break. */
async function isLast(window: ByteWindow): Promise<boolean> {
  await demand(window, 2);
  const mark = window.take(2).toString("latin1");
  if (mark === "\r\n") return false;
  if (mark !== "--") throw errors.E_BODY_MALFORMED("has a boundary that does not end its line");
  while (window.view.length <= 2 && (await window.more()));
  if (!["", "\r\n"].includes(window.view.toString("latin1"))) {
    throw errors.E_BODY_MALFORMED("goes on behind its last boundary");
  }
  return true;
}

/** The lines before the empty one, without the last line break. */
async function readHeader(window: ByteWindow): Promise<Uint8Array> {
  for (let from = 0; ;) {
    const { view } = window;
    const end = view.indexOf("\r\n\r\n", from, "latin1");
    if ((end === -1 ? view.length : end) > headerSize) {
      throw errors.E_BODY_MALFORMED(`has a part with a header of more than ${headerSize} bytes`);
    }
    if (end !== -1) return window.take(end + 4).subarray(0, end);
    from = Math.max(0, view.length - 3);
    if (!(await window.more())) throw cutOff();
  }
}

async function demand(window: ByteWindow, size: number): Promise<void> {
  while (window.view.length < size) if (!(await window.more())) throw cutOff();
}

const cutOff = (): Error => errors.E_BODY_MALFORMED("ends before its last boundary");
