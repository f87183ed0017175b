// Hand-written applications for large bodies: compressed JSON, uploads in a form, a static set with compressed siblings.
import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { brotliCompress, constants, gzip } from "node:zlib";
import { assetsFolder, report as reportValue } from "../../work/data.mjs";
import { head, send, sendJson, sendNothing, sendNotFound, serve } from "./raw-http.mjs";

const jsonLines = ["content-type: application/json", "vary: accept-encoding"];
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const codings = {
  br: {
    head: head(200, ...jsonLines, "content-encoding: br"),
    compress: (body, done) => brotliCompress(body, brotliOptions, done),
  },
  gzip: { head: head(200, ...jsonLines, "content-encoding: gzip"), compress: gzip },
};
const plainHead = head(200, ...jsonLines);
const failedHead = head(500);

/** Returns the preferred coding of two. A client that sends neither gets the plain body. */
function codingOf(accepted = "") {
  if (/\bbr\b(?!;q=0(?:\.0*)?(?:,|$))/.test(accepted)) return "br";
  return /\bgzip\b(?!;q=0(?:\.0*)?(?:,|$))/.test(accepted) ? "gzip" : undefined;
}

export function report() {
  const value = reportValue();
  return serve((request, response) => {
    if (request.url !== "/report") return sendNotFound(response);
    const body = JSON.stringify(value);
    const coding = codingOf(request.headers["accept-encoding"]);
    if (coding === undefined) return send(response, plainHead, body);
    codings[coding].compress(body, (error, bytes) => {
      if (error) send(response, failedHead, "");
      else send(response, codings[coding].head, bytes);
    });
  });
}

const badHead = head(400);
const partEnd = Buffer.from("\r\n\r\n");

/**
 * Stores the file of a form with one part and calls `done` with its path and size, or without for a malformed body. Holds back
 * only as many bytes as the last boundary has.
 */
function storePart(request, boundary, done) {
  const end = Buffer.from(`\r\n--${boundary}--`);
  const path = join(tmpdir(), randomUUID());
  const file = createWriteStream(path);
  let rest = Buffer.alloc(0);
  let isInPart = false;
  request.on("data", (chunk) => {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (!isInPart) {
      const start = bytes.indexOf(partEnd);
      if (start === -1) {
        rest = bytes;
        return;
      }
      isInPart = true;
      bytes = bytes.subarray(start + partEnd.length);
    }
    const held = Math.min(bytes.length, end.length + 2);
    rest = bytes.subarray(bytes.length - held);
    if (bytes.length > held && !file.write(bytes.subarray(0, bytes.length - held))) {
      request.pause();
      file.once("drain", () => request.resume());
    }
  });
  request.on("end", () => {
    const at = rest.lastIndexOf(end);
    file.end(at === -1 ? undefined : rest.subarray(0, at), () =>
      at === -1 || !isInPart ? done() : done(path, file.bytesWritten),
    );
  });
}

export const upload = () =>
  serve((request, response) => {
    const boundary = /^multipart\/form-data; *boundary=([^;]+)/.exec(request.headers["content-type"] ?? "")?.[1];
    if (request.method !== "POST" || request.url !== "/upload") sendNotFound(response);
    else if (boundary === undefined) send(response, badHead, "");
    else
      storePart(request, boundary, (path, size) => {
        if (path === undefined) return send(response, badHead, "");
        void rm(path).then(() => sendJson(response, { size }));
      });
  });

const types = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".bin": "application/octet-stream",
};
const suffixes = { br: ".br", gzip: ".gz" };
// As in limmat: small files are kept in memory for the second in which their entity tag is current.
const [maxKeptBytes, keptMs] = [64 * 1024, 1000];
const notModifiedHead = head(304);

async function inspect(name, coding) {
  const path = `${assetsFolder}${name}${coding === undefined ? "" : suffixes[coding]}`;
  const { size, mtimeMs, mtime } = await stat(path);
  const etag = `"${size.toString(16)}-${mtimeMs.toString(16)}"`;
  const lines = [`content-type: ${types[extname(name)]}`, `last-modified: ${mtime.toUTCString()}`, `etag: ${etag}`];
  if (types[extname(name)] !== types[".bin"]) lines.push("vary: accept-encoding");
  if (coding !== undefined) lines.push(`content-encoding: ${coding}`);
  const content = size > maxKeptBytes ? undefined : await readFile(path);
  return { path, size, etag, lines, head: head(200, ...lines), content, checked: Date.now() };
}

function sendFile(request, response, file) {
  if (request.headers["if-none-match"] === file.etag)
    return sendNothing(response, notModifiedHead, `etag: ${file.etag}\r\n`);
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers["range"] ?? "");
  if (file.content !== undefined && range === null) return send(response, file.head, file.content);
  const [start, end] = range === null ? [0, file.size - 1] : [Number(range[1]), Number(range[2])];
  const headers = file.lines.flatMap((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]);
  headers.push("content-length", String(end - start + 1));
  if (range !== null) headers.push("content-range", `bytes ${start}-${end}/${file.size}`);
  response.writeHead(range === null ? 200 : 206, headers);
  createReadStream(file.path, { start, end, highWaterMark: 256 * 1024 }).pipe(response);
}

export function assets() {
  const files = new Map();
  const prefix = "/assets/";

  async function inspectAndSend(request, response, { key, name, coding }) {
    try {
      files.set(key, await inspect(name, coding));
    } catch {
      return sendNotFound(response);
    }
    sendFile(request, response, files.get(key));
  }

  return serve((request, response) => {
    const name = request.url.slice(prefix.length);
    if (!request.url.startsWith(prefix) || !/^[\w-]+\.(?:css|js|svg|txt|bin)$/.test(name))
      return sendNotFound(response);
    const coding = name.endsWith(".bin") ? undefined : codingOf(request.headers["accept-encoding"]);
    const key = `${name} ${coding}`;
    const known = files.get(key);
    if (known !== undefined && Date.now() - known.checked < keptMs) return sendFile(request, response, known);
    void inspectAndSend(request, response, { key, name, coding });
  });
}
