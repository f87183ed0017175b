// Runs the tables of requests in this folder. Each request is sent unchanged, followed by another one.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Demo, type DemoOptions, makeDemo } from "../demo.ts";
import { type Exchange, exchange } from "../wire.ts";

/** Expected result of a request. */
export interface Outcome {
  /** Allowed statuses of the first response. */
  readonly statuses: readonly number[];
  /**
   * `serves`: the next request on the connection is answered, too. `closes`: the connection ends with the first response,
   * and no later request is handled. `refuses`: later bytes may be answered with 501 before the connection ends.
   */
  readonly next: "serves" | "closes" | "refuses";
  /** Expected headers of the first response. */
  readonly headers?: Readonly<Record<string, RegExp>>;
  readonly body?: string;
  /** True for an incomplete request: it is refused when the client half-closes the connection. */
  readonly isCut?: boolean;
}

/** Expects a response. The bytes after it are not a request, and close the connection before or after that response. */
export const broken = (more: Pick<Outcome, "headers" | "body"> = {}): Outcome => ({
  statuses: [200],
  next: "refuses",
  ...more,
});

/** Request, byte by byte, and its expected result. */
export type Case = readonly [name: string, bytes: string, outcome: Outcome];

/** Expects a refusal with one of the statuses, and no handling of later bytes. */
export const refused = (...statuses: readonly number[]): Outcome => ({
  statuses: statuses.length === 0 ? [400] : statuses,
  next: "closes",
});

/** Expects a refusal of a truncated request. */
export const cut = (): Outcome => ({ statuses: [400], next: "closes", isCut: true });

/** Expects a response, and a response to the next request. */
export const served = (status = 200, more: Pick<Outcome, "headers" | "body"> = {}): Outcome => ({
  statuses: [status],
  next: "serves",
  ...more,
});

/** Expects a response and a closed connection, because the client requested it or it is the only safe way. */
export const last = (status = 200, more: Pick<Outcome, "headers" | "body"> = {}): Outcome => ({
  statuses: [status],
  next: "closes",
  ...more,
});

/** Header line that every request needs. */
export const host = "Host: localhost\r\n";

/** Builds a GET request with this header block. */
export const getWith = (fields: string, target = "/"): string => `GET ${target} HTTP/1.1\r\n${fields}\r\n`;

/** Builds a POST request with these fields and this body, which the handler echoes. */
export const postWith = (fields: string, body: string, target = "/api/echo"): string =>
  `POST ${target} HTTP/1.1\r\n${host}${fields}\r\n${body}`;

let count = 0;
const follower = (path: string): string => `GET ${path} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;

/** Defines two tests per case: with the next request in the same packet, and sent after the first response. */
export function conform(title: string, cases: readonly Case[], options: DemoOptions = {}): void {
  let demo: Demo;
  let port = 0;
  before(async () => {
    demo = makeDemo(options);
    port = await demo.start();
  });
  after(async () => {
    await demo.stop();
    assert.deepEqual(demo.faults, [], "something was logged as an error");
  });

  // The lingering close after an unread body takes half a second each.
  describe(title, { concurrency: 16 }, () => {
    for (const [name, bytes, outcome] of cases) {
      test(name, async () => {
        const paths = [0, 1].map(() => `/smuggled/${++count}`);
        const [first = "", second = ""] = paths;
        const heads = bytes.startsWith("HEAD ");
        check(await exchange(port, bytes + follower(first), { heads }), outcome, demo.reached.has(first));
        const alone = outcome.isCut === true ? { halfClose: true } : { follow: follower(second), heads };
        check(await exchange(port, bytes, alone), outcome, demo.reached.has(second));
      });
    }
  });
}

function check(got: Exchange, { statuses, next, headers = {}, body }: Outcome, hasReached: boolean): void {
  const [answer, second] = got.answers;
  const shown = JSON.stringify(got.raw.slice(0, 300));
  assert.ok(answer !== undefined, `no answer: ${shown}`);
  assert.ok(statuses.includes(answer.status), `${answer.status}: ${shown}`);
  assert.equal(got.rest, "", shown);
  assert.ok(got.isClosed, "the connection stays open");
  for (const [name, form] of Object.entries(headers)) assert.match(answer.header(name) ?? "", form, name);
  if (body !== undefined) assert.equal(answer.body, body);
  if (next === "serves") {
    assert.ok(hasReached, `the next request was not served: ${shown}`);
    assert.equal(second?.body, "smuggled", shown);
    return;
  }
  assert.equal(hasReached, false, `the next request was served: ${shown}`);
  const refusals = got.answers.slice(1).map(({ status }) => status);
  // Its first letters do not begin a method.
  assert.deepEqual(refusals, next === "refuses" && refusals.length > 0 ? [501] : [], shown);
  assert.equal(got.answers.at(-1)?.header("connection")?.toLowerCase(), "close", shown);
}
