import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { requestBytes, type Answer, type Visitor } from "../harness/http.ts";
import { publicFolder } from "./data.mjs";
import type { Work } from "./work.ts";

const path = "/assets/site.css";
const headers = { accept: "text/css,*/*;q=0.1" };

async function expectFile(visitor: Visitor): Promise<Answer> {
  const file = await visitor.ask(path, { headers });
  assert.equal(file.status, 200);
  assert.equal(file.body, readFileSync(`${publicFolder}${path}`, "utf8"));
  assert.match(file.header("content-type"), /^text\/css; ?charset=utf-8$/i);
  assert.match(file.header("etag"), /^(?:W\/)?"[^"]+"$/);
  assert.match(String((await visitor.ask("/assets/../../package.json")).status), /^40[034]$/);
  assert.equal((await visitor.ask("/assets/missing.css")).status, 404);
  return file;
}

/** Benchmarks of a static file of 4 kB that does not change. */
export const staticWorks: readonly Work[] = [
  {
    group: "files",
    name: "static",
    title: "Static file of 4 kB",
    application: "static",
    status: 200,
    async prepare(visitor, port) {
      await expectFile(visitor);
      return [requestBytes(port, path, { headers })];
    },
  },
  {
    group: "files",
    name: "static-304",
    title: "The same file, revalidated by its entity tag (304)",
    application: "static",
    status: 304,
    async prepare(visitor, port) {
      const known = { ...headers, "if-none-match": (await expectFile(visitor)).header("etag") };
      const answer = await visitor.ask(path, { headers: known });
      assert.equal(answer.status, 304);
      assert.equal(answer.body, "");
      return [requestBytes(port, path, { headers: known })];
    },
  },
];
