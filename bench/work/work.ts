import assert from "node:assert/strict";
import { requestBytes, type Answer, type Ask, type Visitor } from "../harness/http.ts";

/** One kind of work, the same for every contestant. */
export interface Work {
  /** What is said on the command line and in the results. */
  readonly name: string;
  /** Chapter of the report. */
  readonly group: "http" | "files" | "pages" | "database";
  /** One sentence for the report. */
  readonly title: string;
  /** The application of the contestant that does this work. */
  readonly application: string;
  /** Status of every answer under load. */
  readonly status: number;
  /**
   * Checks that the contestant answers like every other, then gives the requests to load it with.
   * Throws an AssertionError where an answer differs.
   */
  prepare(visitor: Visitor, port: number): Promise<readonly Buffer[]>;
  /** Puts the database back as it was; called before each round. */
  reset?(): Promise<void>;
}

/** Status, media type (with its charset, spelled one way) and body are as expected. */
export function expectAnswer(answer: Answer, status: number, type: string, body: unknown): void {
  assert.equal(answer.status, status, answer.body.slice(0, 2000));
  const sent = answer.header("content-type").toLowerCase().replaceAll(" ", "");
  assert.ok(sent === type || sent === `${type};charset=utf-8`, `content-type is ${sent}, expected ${type}`);
  assert.deepEqual(type === "application/json" ? JSON.parse(answer.body) : answer.body, body);
  assert.ok(answer.header("content-length") !== "" || answer.header("transfer-encoding") === "chunked");
}

/** A work whose requests are the same for all visitors, each with a known JSON answer. */
export function jsonWork(
  description: Omit<Work, "prepare" | "status">,
  exchanges: readonly (readonly [path: string, answer: unknown, ask?: Ask])[],
): Work {
  return {
    ...description,
    status: 200,
    async prepare(visitor, port) {
      for (const [path, expected, ask] of exchanges)
        expectAnswer(await visitor.ask(path, ask), 200, "application/json", expected);
      const missing = await visitor.ask("/missing");
      assert.equal(missing.status, 404);
      return exchanges.map(([path, , ask]) =>
        requestBytes(port, path, { ...ask, headers: { accept: "application/json", ...ask?.headers } }),
      );
    },
  };
}
