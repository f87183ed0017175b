// The differential test finds known faults of HTTP parsers, put into the source of the parser.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { RequestParser } from "../../src/http/server/net/parser.ts";
import { root } from "../sources.ts";
import { Comparison } from "./comparison.ts";
import { makeParse } from "./net-parser.ts";

/** Fault: the file of the parser, the code that it replaces, and the faulty code. */
type Fault = readonly [file: string, code: string, faulty: string];

const faults: Readonly<Record<string, Fault>> = {
  "a request behind a refused head is read": [
    "parser.ts",
    'this.#part = "closed";\n      receiver.onHead(head);\n      return;',
    "receiver.onHead(head);",
  ],
  "an empty line before a request is lost if it is cut": [
    "parser.ts",
    "bytes[start] !== cr || end - start < 2) return start;",
    "bytes[start] !== cr) return start;",
  ],
  "chunk extensions have no grammar": [
    "chunk-scanner.ts",
    "if (!this.#readExtension(byte))",
    "if (!this.#readElementEnd(byte) && byte < 0x20)",
  ],
  "the length of a message is accepted as a trailer": [
    "parser.ts",
    "if (forbiddenTrailer.test(name)) return",
    'if (name === "") return',
  ],
  "a malformed body is answered, and the next bytes are answered again": [
    "parser.ts",
    '#refuse(refusal: Refusal): void {\n    this.#part = "closed";',
    '#refuse(refusal: Refusal): void {\n    this.#part = "head";',
  ],
  "a quoted chunk extension is refused if it is cut before the quote": [
    "chunk-scanner.ts",
    "this.dataStart = this.dataEnd = start;",
    'this.dataStart = this.dataEnd = start;\n    if (this.#part === "extensionValue") this.#part = "token";',
  ],
  "a bare LF behind the last chunk is waited for": [
    "field-scanner.ts",
    "if (part === lineStartPart) {",
    "if (part === lineStartPart && bytes[at] === lf) break;\n      if (part === lineStartPart) {",
  ],
  "a malformed version is waited for": [
    "field-scanner.ts",
    "for (; at < limit; at += 1) {",
    "if (limit - start - this.#partStart < protocol.length) return at;\n    for (; at < limit; at += 1) {",
  ],
};

describe("the differential test", () => {
  const source = join(root, "src/http/server/net");
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "limmat-parser-"));
  });
  after(() => rm(folder, { recursive: true }));

  /** Imports a copy of the parser with a fault. */
  async function importFaulty([file, code, faulty]: Fault): Promise<typeof RequestParser> {
    const copy = await mkdtemp(join(folder, "faulty-"));
    const names = (await readdir(source)).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
    for (const name of names) {
      let text = await readFile(join(source, name), "utf8");
      if (name === file) {
        assert.equal(text.split(code).length, 2, `${file} contains the code once`);
        text = text.replace(code, () => faulty);
      }
      await writeFile(
        join(copy, name),
        text.replaceAll('from "../', `from "${pathToFileURL(join(source, "..")).href}/`),
      );
    }
    const module = (await import(pathToFileURL(join(copy, "parser.ts")).href)) as {
      readonly RequestParser: typeof RequestParser;
    };
    return module.RequestParser;
  }

  for (const [name, fault] of Object.entries(faults)) {
    test(`finds that ${name}`, async () => {
      const comparison = new Comparison(makeParse(await importFaulty(fault)));
      comparison.checkRequests();
      assert.ok(comparison.faults.length > 0);
    });
  }
});
