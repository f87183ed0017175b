import assert from "node:assert/strict";
import { requestBytes, type Answer, type Ask, type Visitor } from "../harness/http.ts";

/** Benchmark, the same for every contestant. */
export interface Work {
  /** Name on the command line and in the results. */
  readonly name: string;
  /** Chapter of the report. */
  readonly group: "http" | "files" | "pages" | "database";
  /** Heading in the report. */
  readonly title: string;
  /** Application of the contestant that this benchmark loads. */
  readonly application: string;
  /** Status of every response under load. */
  readonly status: number;
  /**
   * Checks the responses of the contestant and returns the requests to load it with.
   *
   * @throws AssertionError if a response differs from the expected one
   */
  prepare(visitor: Visitor, port: number): Promise<readonly Buffer[]>;
  /** Restores the content of the database before each round. */
  reset?(): Promise<void>;
}

/** Asserts status, media type (the charset is optional) and body of a response. */
export function expectAnswer(answer: Answer, status: number, type: string, body: unknown): void {
  assert.equal(answer.status, status, answer.body.slice(0, 2000));
  const sent = answer.header("content-type").toLowerCase().replaceAll(" ", "");
  assert.ok(sent === type || sent === `${type};charset=utf-8`, `content-type is ${sent}, expected ${type}`);
  assert.deepEqual(type === "application/json" ? JSON.parse(answer.body) : answer.body, body);
  assert.ok(answer.header("content-length") !== "" || answer.header("transfer-encoding") === "chunked");
}

/** Creates a benchmark whose requests are the same for all visitors and have known JSON responses. */
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
