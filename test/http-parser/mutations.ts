// Random changes of requests. The same seed gives the same inputs.
import { random } from "../attack/generated.ts";
import { parseWithLlhttp } from "./llhttp.ts";
import { nextRequest, requests } from "./requests.ts";

const originals = Object.values(requests).flat();
/** Requests that can be followed by another one. Most inputs begin with them: nothing is read behind a malformed one. */
const validOriginals = originals.filter((text) => {
  const { requests: parsed, end } = parseWithLlhttp(Buffer.from(text + nextRequest, "latin1"));
  return end === "waiting" && parsed.length > 1;
});

/** Texts that decide about framing, lines and connections. */
const fragments = [
  ["\r\n", "\n", "\r", "\r\n\r\n", " ", "\t", "\0", ":", ",", ";", "=", '"', "\\", "+", "-", "_", "0", "00"],
  ["3", "a", "/", "*", "?", "Content-Length: 3\r\n", "Content-Length: 0\r\n", "content-length:5\r\n"],
  ["Transfer-Encoding: chunked\r\n", "Host: a\r\n", "Transfer-Encoding: identity\r\n", "Connection: close\r\n"],
  ["Connection: keep-alive\r\n", "Connection: upgrade\r\nUpgrade: x\r\n", "Expect: 100-continue\r\n"],
  ["Content-Type: a/b\r\n", "0\r\n\r\n", "3\r\nabc\r\n", '3;a="b c"\r\nabc\r\n', "0\r\nT: v\r\n\r\n", "GET "],
  ["POST /p HTTP/1.1\r\n", " HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/5.6", "0x", "\x80", "\xff", "\x7f"],
  ["\x0b", "\x1f", " \r\n", "\r\n ", "\r\n\t", "fffffffff", "close", "chunked", nextRequest],
].flat();

/** Random inputs of a seed. */
export class Mutations {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = random(seed);
  }

  /** Returns a whole number from 0 to `max` − 1. */
  below(max: number): number {
    return Math.floor(this.#random() * max);
  }

  /** Returns the bytes of a connection: one to three requests with up to three changes, often with another request behind. */
  input(): Buffer {
    let text = this.#pickRequest();
    for (let count = this.below(3); count > 0; count -= 1) text += this.#pickRequest();
    for (let count = this.below(4); count > 0; count -= 1) text = this.#change(text);
    if (this.below(2) === 0) text += nextRequest;
    return Buffer.from(text, "latin1");
  }

  /** Returns positions at which an input is cut, in order: every one, or up to three. */
  cuts(length: number): readonly number[] {
    if (this.below(8) === 0) return Array.from({ length: Math.max(0, length - 1) }, (_, index) => index + 1);
    const cuts = Array.from({ length: 1 + this.below(3) }, () => this.below(length + 1));
    return [...new Set(cuts)].sort((left, right) => left - right);
  }

  #pickRequest(): string {
    return this.#pick(this.below(6) === 0 ? originals : validOriginals);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  #change(text: string): string {
    const at = this.below(text.length + 1);
    switch (this.below(8)) {
      case 0:
      case 1:
        return text.slice(0, at) + this.#pick(fragments) + text.slice(at);
      case 2:
        return text.slice(0, at) + text.slice(at + 1 + this.below(3));
      case 3:
        return text.slice(0, at) + String.fromCharCode(this.below(256)) + text.slice(at + 1);
      case 4:
        return text.slice(0, at) + this.#pick(fragments) + text.slice(at + 1 + this.below(4));
      case 5:
        return text.slice(0, at);
      case 6:
        return text.slice(0, at) + this.#pick(originals).slice(this.below(30));
      default: {
        const lines = text.split("\r\n");
        lines.splice(this.below(lines.length), this.below(2), this.#pick(lines));
        return lines.join("\r\n");
      }
    }
  }
}
