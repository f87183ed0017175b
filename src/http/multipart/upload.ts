import { createReadStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imageStart, imageTypeOf } from "./image-type.ts";
import type { FilePart, Part, Upload, UploadedFile } from "./part.ts";

/** Receives a form, does the work with it, and removes its files, as `Request.upload` says it. */
export async function receive<T>(parts: AsyncIterable<Part>, work: (upload: Upload) => T | Promise<T>): Promise<T> {
  const fields: (readonly [name: string, value: string])[] = [];
  const files: UploadedFile[] = [];
  let folder: string | undefined;
  try {
    for await (const part of parts) {
      if (part.kind === "field") fields.push([part.name, part.value]);
      else {
        // Nobody but this user may look into it.
        folder ??= await mkdtemp(join(tmpdir(), "limmat-upload-"));
        files.push(await keep(part, join(folder, String(files.length))));
      }
    }
    return await work({ fields, files, file: (name) => files.find((file) => file.name === name) });
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function keep(part: FilePart, path: string): Promise<UploadedFile> {
  const { name, filename, contentType } = part;
  let first: Uint8Array = new Uint8Array(0);
  let size = 0;
  await using handle = await open(path, "wx", 0o600);
  for await (const piece of part) {
    if (first.length < imageStart) first = Buffer.concat([first, piece.subarray(0, imageStart)]);
    size += piece.length;
    await handle.writeFile(piece);
  }
  return {
    name,
    filename,
    contentType,
    size,
    imageType: imageTypeOf(first),
    path,
    [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>,
  };
}
