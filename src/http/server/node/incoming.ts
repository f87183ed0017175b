import type { IncomingHttpHeaders } from "node:http";
import { http } from "./builtin.ts";
import { ChunkMerger } from "./chunk-merger.ts";

/**
 * Request whose `headers` contains only what `node:http` itself reads from them. For each request, `node:http` would turn all
 * header lines into an object, and `HeaderList` reads `rawHeaders`. With the 15 lines of a browser, it takes 0.3 instead of
 * 1.4 µs.
 *
 * The first chunk of a body is pushed at once, and the following ones are merged: most bodies have one chunk.
 */
export class Incoming extends http.IncomingMessage {
  static {
    // The declaration of the base class has a property, which an accessor cannot override.
    Object.defineProperty(this.prototype, "headers", { get: readFramingHeaders });
  }

  /** `undefined` before the first chunk, its size until the second one. */
  #merger: ChunkMerger | number | undefined;

  override push(chunk: Buffer | null): boolean {
    const merger = this.#merger;
    if (typeof merger === "object") return merger.push(chunk);
    if (merger === undefined || chunk === null) {
      this.#merger = chunk?.length ?? 0;
      return super.push(chunk);
    }
    const created = new ChunkMerger(this, (merged) => super.push(merged), merger);
    this.#merger = created;
    return created.push(chunk);
  }
}

const noHeaders: IncomingHttpHeaders = Object.freeze({});

function readFramingHeaders(this: Incoming): IncomingHttpHeaders {
  let headers = noHeaders;
  const raw = this.rawHeaders;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string;
    if (name.length !== 6 && name.length !== 14 && name.length !== 17) continue;
    const lowerCaseName = name.toLowerCase();
    if (lowerCaseName === "expect" || lowerCaseName === "content-length" || lowerCaseName === "transfer-encoding") {
      headers = { ...headers, [lowerCaseName]: raw[index + 1] };
    }
  }
  return headers;
}
