// Drives the tables of requests beside this file: each is sent as it is, with another request behind it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Demo, type DemoOptions, makeDemo } from "../demo.ts";
import { type Exchange, exchange } from "../wire.ts";

/** What must become of a request. */
export interface Outcome {
  /** One of these is the status of the first answer. */
  readonly statuses: readonly number[];
  /**
   * `serves`: the next request on the connection is answered, too. `closes`: the connection ends with the first answer,
   * and nothing behind it runs. `refuses`: what is behind it may be answered with 501 before the connection ends.
   */
  readonly next: "serves" | "closes" | "refuses";
  /** Headers of the first answer. */
  readonly headers?: Readonly<Record<string, RegExp>>;
  readonly body?: string;
  /** The request is not complete: alone it is refused when the client says that no more comes. */
  readonly isCut?: boolean;
}

/** The request is answered; what follows it is no request, and ends the connection, before or after that answer. */
export const broken = (more: Pick<Outcome, "headers" | "body"> = {}): Outcome => ({
  statuses: [200],
  next: "refuses",
  ...more,
});

/** A request, byte by byte, and what must become of it. */
export type Case = readonly [name: string, bytes: string, outcome: Outcome];

/** The request is refused with one of the statuses, and nothing that follows it is believed. */
export const refused = (...statuses: readonly number[]): Outcome => ({
  statuses: statuses.length === 0 ? [400] : statuses,
  next: "closes",
});

/** The same for a request that ends too early. */
export const cut = (): Outcome => ({ statuses: [400], next: "closes", isCut: true });

/** The request is answered, and so is the next one. */
export const served = (status = 200, more: Pick<Outcome, "headers" | "body"> = {}): Outcome => ({
  statuses: [status],
  next: "serves",
  ...more,
});

/** The request is answered, and the connection ends, because that was asked for or is the only safe way. */
export const last = (status = 200, more: Pick<Outcome, "headers" | "body"> = {}): Outcome => ({
  statuses: [status],
  next: "closes",
  ...more,
});

/** The line that every request needs. */
export const host = "Host: localhost\r\n";

/** A GET request with a header block of one's own. */
export const getWith = (fields: string, target = "/"): string => `GET ${target} HTTP/1.1\r\n${fields}\r\n`;

/** A POST request whose body is echoed, with fields and body of one's own. */
export const postWith = (fields: string, body: string, target = "/api/echo"): string =>
  `POST ${target} HTTP/1.1\r\n${host}${fields}\r\n${body}`;

let count = 0;
const follower = (path: string): string => `GET ${path} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;

/** Makes a test of each case: with the next request in the same packet, and with it sent after the first answer. */
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

  // Answers to bodies that nobody reads linger for half a second each.
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
  // Its first letters are those of no method.
  assert.deepEqual(refusals, next === "refuses" && refusals.length > 0 ? [501] : [], shown);
  assert.equal(got.answers.at(-1)?.header("connection")?.toLowerCase(), "close", shown);
}
