import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { assetsFolder } from "./data.mjs";

/** Names of the static set: 20 files of 2 to 60 kB. */
export const assetNames: readonly string[] = Array.from(
  { length: 20 },
  (_, n) => `file${n}.${["css", "js", "svg", "txt"][n % 4]}`,
);

/** Name of the file of 50 MB. */
export const bigAsset = "big.bin";

/** Creates the static set, each file with a sibling for gzip and Brotli. Returns the content by name. */
export function createAssets(): ReadonlyMap<string, Buffer> {
  mkdirSync(assetsFolder, { recursive: true });
  const contents = new Map(assetNames.map((name, n) => [name, textOf(n, 2_000 + n * 3_000)]));
  contents.set(bigAsset, Buffer.alloc(50_000_000, createHash("sha512").update(bigAsset).digest()));
  for (const [name, content] of contents) {
    const path = `${assetsFolder}${name}`;
    if (existsSync(path) && readFileSync(path).equals(content)) continue;
    writeFileSync(path, content);
    if (name === bigAsset) continue;
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    writeFileSync(
      `${path}.br`,
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
    );
  }
  return contents;
}

/** Returns text that compresses like code: lines with repeated words and different numbers. */
function textOf(seed: number, bytes: number): Buffer {
  let text = "";
  for (let n = 0; text.length < bytes; n += 1) {
    const hash = createHash("sha1")
      .update(`${seed} ${n}`)
      .digest("hex")
      .slice(0, 8 + (n % 8));
    text += `.class-${hash} { margin: ${n % 17}px; color: #${hash.slice(0, 6)}; }\n`;
  }
  return Buffer.from(text.slice(0, bytes));
}
