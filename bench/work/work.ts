import assert from "node:assert/strict";
import { requestBytes, type Answer, type Ask, type Visitor } from "../harness/http.ts";
import type { Loader } from "../harness/load.ts";

/** Groups of benchmarks, the chapters of the report, with their titles. */
export const groups = {
  http: "HTTP",
  files: "Static files",
  pages: "Pages and forms",
  database: "Database",
  wire: "Connections and protocols",
  data: "Data",
  bodies: "Large bodies",
  load: "Under load",
} as const;

export type Group = keyof typeof groups;

/** Groups that a run without words measures. Their contestants are all that the documentation of each covers. */
export const defaultGroups: readonly string[] = ["http", "files", "pages", "database"];

/** Benchmark, the same for every contestant. */
export interface Work {
  /** Name on the command line and in the results. */
  readonly name: string;
  readonly group: Group;
  /** Heading in the report. */
  readonly title: string;
  /** Application of the contestant that this benchmark loads. */
  readonly application: string;
  /** Status of every response under load, or all statuses that occur. */
  readonly status: number | readonly number[];
  /** Number of connections. Default: that of the run. */
  readonly connections?: number;
  /** Loads the server. Default: keep-alive connections with one request at a time. */
  readonly load?: Loader;
  /** True if the server speaks TLS. */
  readonly isSecure?: boolean;
  /** True if the server has several processes, whose CPU time and memory are added. */
  readonly hasProcesses?: boolean;

  /**
   * Checks the responses of the contestant and returns the requests to load it with.
   *
   * @throws AssertionError if a response differs from the expected one
   */
  prepare(visitor: Visitor, port: number): Promise<readonly Buffer[]>;
  /** Restores the content of the database before each round. */
  reset?(): Promise<void>;
}

/** Returns true if the application of a benchmark needs the databases. */
export const usesDatabase = ({ application }: Work): boolean => /^(?:world|cached|crud|login|todos-)/.test(application);

/** Asserts status, media type (the charset is optional) and body of a response. */
export function expectAnswer(answer: Answer, status: number, type: string, body: unknown): void {
  assert.equal(answer.status, status, answer.body.slice(0, 2000));
  const sent = answer.header("content-type").toLowerCase().replaceAll(" ", "");
  assert.ok(sent === type || sent === `${type};charset=utf-8`, `content-type is ${sent}, expected ${type}`);
  assert.deepEqual(type === "application/json" ? JSON.parse(answer.body) : answer.body, body);
  assert.ok(answer.header("content-length") !== "" || answer.header("transfer-encoding") === "chunked");
}

/** Asserts a JSON response. None has an entity tag: whoever sends one would do more. */
export function expectJson(answer: Answer, body: unknown): void {
  expectAnswer(answer, 200, "application/json", body);
  assert.equal(answer.header("etag"), "", "the response has an entity tag, those of the others have none");
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
      for (const [path, expected, ask] of exchanges) expectJson(await visitor.ask(path, ask), expected);
      const missing = await visitor.ask("/missing");
      assert.equal(missing.status, 404);
      return exchanges.map(([path, , ask]) =>
        requestBytes(port, path, { ...ask, headers: { accept: "application/json", ...ask?.headers } }),
      );
    },
  };
}
