// Runs the tables in this folder: one row per published vulnerability of another framework, with a test that limmat does
// not have it. A row is named by the identifier of the advisory, or of the commit that fixed it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Demo, type DemoOptions, makeDemo, publicFolder } from "../demo.ts";
import { person, type Person } from "../person.ts";
import { exchange, type WireAnswer } from "../wire.ts";

/** Context of a row: the listening demo application. */
export interface Stand {
  readonly demo: Demo;
  readonly port: number;
  /** User with a session and a token. */
  readonly alice: Person;
  /** Sends a request byte by byte on a new connection, and returns its response. */
  readonly ask: (
    line: string,
    headers?: Readonly<Record<string, string | readonly string[]>>,
    body?: string,
  ) => Promise<WireAnswer>;
}

/** Published vulnerability: its identifier, a short description, and a test that limmat does not have it. */
export type Advisory = readonly [id: string, what: string, check: (stand: Stand) => Promise<void> | void];

/** Defines a test per row. After each, it checks that the server is healthy. */
export function advisories(title: string, rows: readonly Advisory[], options: DemoOptions = {}): void {
  describe(title, () => {
    const folder = publicFolder();
    let stand: Stand;
    before(async () => {
      const demo = makeDemo({ directory: folder.path, ...options });
      const port = await demo.start();
      const ask: Stand["ask"] = async (line, headers = {}, body = "") => {
        const fields = { Host: "localhost", Connection: "close", ...headers };
        const lines = Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
        const length = body === "" || "Transfer-Encoding" in headers ? [] : [`Content-Length: ${body.length}`];
        const got = await exchange(port, [`${line} HTTP/1.1`, ...lines, ...length, "", body].join("\r\n"));
        assert.equal(got.answers.length, 1, JSON.stringify(got.raw.slice(0, 300)));
        return got.answers[0] as WireAnswer;
      };
      stand = { demo, port, alice: await person(demo.app), ask };
    });
    after(async () => {
      await stand.demo.stop();
      folder[Symbol.dispose]();
    });
    for (const [id, what, check] of rows) {
      test(`${id}: ${what}`, async () => {
        await check(stand);
        assert.equal((await stand.ask("GET /")).status, 200);
        assert.deepEqual(stand.demo.faults, []);
        assert.deepEqual(Object.keys(Object.prototype), []);
        assert.equal(({} as Record<string, unknown>)["admin"], undefined);
      });
    }
  });
}

/** Encodes a body in chunks of this size. */
export function inChunks(body: string, size: number, trailers = ""): string {
  let chunks = "";
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.slice(at, at + size);
    chunks += `${chunk.length.toString(16)}\r\n${chunk}\r\n`;
  }
  return `${chunks}0\r\n${trailers}\r\n`;
}
