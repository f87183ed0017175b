import assert from "node:assert/strict";
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from "node:zlib";
import { requestBytes, type Ask } from "../harness/http.ts";
import { assetNames, bigAsset, createAssets } from "./assets.ts";
import { report } from "./data.mjs";
import type { Work } from "./work.ts";

const reportText = JSON.stringify(report());

/** Bytes of the report in each coding. */
const expectedSizes = {
  gzip: gzipSync(reportText).length,
  br: brotliCompressSync(reportText, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).length,
};

const decoders = { gzip: gunzipSync, br: brotliDecompressSync };

const compressedWork = (coding: keyof typeof decoders): Work => ({
  group: "bodies",
  name: coding,
  title: `JSON of 50 kB, compressed with ${coding === "br" ? "Brotli (quality 4)" : "gzip (level 6)"}`,
  application: "report",
  status: 200,
  connections: 16,
  async prepare(visitor, port) {
    const headers = { accept: "application/json", "accept-encoding": coding };
    const answer = await visitor.ask("/report", { headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.header("content-encoding"), coding);
    assert.match(answer.header("vary"), /accept-encoding/i);
    assert.deepEqual(JSON.parse(decoders[coding](answer.bytes).toString()), report());
    // All compress equally well, up to the flushes of a stream.
    const size = expectedSizes[coding];
    assert.ok(Math.abs(answer.bytes.length / size - 1) < 0.05, `${answer.bytes.length} bytes, expected about ${size}`);
    const plain = await visitor.ask("/report", {
      headers: { accept: "application/json", "accept-encoding": "identity" },
    });
    assert.equal(plain.header("content-encoding"), "");
    assert.deepEqual(JSON.parse(plain.body), report());
    return [requestBytes(port, "/report", { headers })];
  },
});

const uploadBytes = 20_000_000;

function upload(bytes: number): Ask {
  const boundary = "----bench7MA4YWxkTrZu0gW";
  const content = Buffer.alloc(bytes, "0123456789abcdef\r\n--");
  const start = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="file.bin"\r\ncontent-type: application/octet-stream\r\n\r\n`;
  return {
    method: "POST",
    headers: { accept: "application/json", "content-type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(start), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}

const uploadWork: Work = {
  group: "bodies",
  name: "upload",
  title: "Upload of a file of 20 MB in a form, stored in a temporary file",
  application: "upload",
  status: 200,
  connections: 4,
  async prepare(visitor, port) {
    for (const size of [0, 1, 70_000, uploadBytes]) {
      const answer = await visitor.ask("/upload", upload(size));
      assert.deepEqual([answer.status, JSON.parse(answer.body)], [200, { size }]);
    }
    return [requestBytes(port, "/upload", upload(uploadBytes))];
  },
};

let assets: ReadonlyMap<string, Buffer> | undefined;

/** Returns the content of the static set, created before the first contestant starts. */
const provideAssets = (): ReadonlyMap<string, Buffer> => (assets ??= createAssets());

const assetsWork: Work = {
  group: "bodies",
  name: "assets",
  title: "Static set of 20 files with precompressed siblings, requested in turn with Brotli",
  application: "assets",
  status: 200,
  reset: async () => void provideAssets(),
  async prepare(visitor, port) {
    const headers = { accept: "*/*", "accept-encoding": "gzip, deflate, br" };
    for (const name of assetNames) {
      const path = `/assets/${name}`;
      const content = provideAssets().get(name) as Buffer;
      const compressed = await visitor.ask(path, { headers });
      assert.deepEqual([compressed.status, compressed.header("content-encoding")], [200, "br"]);
      assert.match(compressed.header("vary"), /accept-encoding/i);
      assert.ok(brotliDecompressSync(compressed.bytes).equals(content));
      const zipped = await visitor.ask(path, { headers: { "accept-encoding": "gzip" } });
      assert.ok(gunzipSync(zipped.bytes).equals(content));
      const plain = await visitor.ask(path);
      assert.ok(plain.header("content-encoding") === "" && plain.bytes.equals(content));
      for (const { etag } of [compressed, zipped, plain].map((answer) => ({ etag: answer.header("etag") })))
        assert.match(etag, /^(?:W\/)?"[^"]+"$/);
    }
    assert.match(String((await visitor.ask("/assets/../../package.json")).status), /^40[034]$/);
    return assetNames.map((name) => requestBytes(port, `/assets/${name}`, { headers }));
  },
};

const bigAssetWork: Work = {
  group: "bodies",
  name: "asset-50mb",
  title: "Static file of 50 MB",
  application: "assets",
  status: 200,
  connections: 4,
  reset: async () => void provideAssets(),
  async prepare(visitor, port) {
    const path = `/assets/${bigAsset}`;
    const content = provideAssets().get(bigAsset) as Buffer;
    assert.ok((await visitor.ask(path)).bytes.equals(content));
    const part = await visitor.ask(path, { headers: { range: "bytes=100-199" } });
    assert.deepEqual([part.status, part.bytes.equals(content.subarray(100, 200))], [206, true]);
    return [requestBytes(port, path)];
  },
};

/** Benchmarks of large bodies: compressed, received and sent. */
export const bodyWorks: readonly Work[] = [
  compressedWork("gzip"),
  compressedWork("br"),
  uploadWork,
  assetsWork,
  bigAssetWork,
];
