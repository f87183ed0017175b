import { createReadStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mergedChunkBytes } from "../../core/index.ts";
import type { FilePart, Part, Upload, UploadedFile } from "./part.ts";

/** Receives a form, calls `handle` with it, and removes its files. Implements `Request.upload`. */
export async function receiveUpload<T>(
  parts: AsyncIterable<Part>,
  handle: (upload: Upload) => T | Promise<T>,
): Promise<T> {
  const fields: (readonly [name: string, value: string])[] = [];
  const files: UploadedFile[] = [];
  let folder: string | undefined;
  try {
    for await (const part of parts) {
      if (part.kind === "field") fields.push([part.name, part.value]);
      else {
        // `mkdtemp` makes a folder that only this user can read.
        folder ??= await mkdtemp(join(tmpdir(), "limmat-upload-"));
        files.push(await saveFile(part, join(folder, String(files.length))));
      }
    }
    return await handle({ fields, files, file: (name) => files.find((file) => file.name === name) });
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function saveFile(part: FilePart, path: string): Promise<UploadedFile> {
  const { name, filename, contentType } = part;
  let firstBytes: Uint8Array | undefined;
  let size = 0;
  await using handle = await open(path, "wx", 0o600);
  // Chunks are collected in one block, whose memory is used again for the next.
  let block = Buffer.alloc(0);
  let used = 0;
  const write = async (bytes: Uint8Array): Promise<void> => {
    firstBytes ??= Buffer.from(bytes.subarray(0, signatureBytes));
    size += bytes.length;
    await handle.writeFile(bytes);
  };
  for await (const chunk of part) {
    if (used > 0 && used + chunk.length > mergedChunkBytes) {
      await write(block.subarray(0, used));
      used = 0;
    }
    if (used === 0 && chunk.length >= mergedChunkBytes / 2) await write(chunk);
    else {
      if (block.length === 0) block = Buffer.allocUnsafeSlow(mergedChunkBytes);
      block.set(chunk, used);
      used += chunk.length;
    }
  }
  if (used > 0) await write(block.subarray(0, used));
  return {
    name,
    filename,
    contentType,
    size,
    imageType: imageTypeOf(firstBytes ?? block),
    path,
    [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>,
  };
}

/** Signatures of image formats, as hexadecimal digits. */
const imageSignatures: readonly (readonly [type: string, signature: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^474946383[79]61/],
  ["image/webp", /^52494646.{8}57454250/],
  ["image/avif", /^.{8}66747970617669(?:66|73)/],
];

const signatureBytes = 12;

function imageTypeOf(firstBytes: Uint8Array): string | undefined {
  const digits = Buffer.from(firstBytes).toString("hex");
  return imageSignatures.find(([, signature]) => signature.test(digits))?.[0];
}
