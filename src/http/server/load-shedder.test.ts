import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { Service } from "../../core/index.ts";
import { Service as Services } from "../../core/index.ts";
import * as Health from "../../web/health/health.ts";
import { Response } from "../message/response.ts";
import { choose, get } from "../router/route.ts";
import { Time } from "../../time/index.ts";
import { live, statusOf, wire } from "./live.test.ts";
import { LoadShedder } from "./load-shedder.ts";

/** Keeps the event loop from turning. */
function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe("overload", () => {
  test("refuses requests that come while the event loop is late, and answers health checks", async () => {
    const router = choose([
      get("/slow", () => {
        block(300);
        return Response.text("slow");
      }),
      get("/", () => Response.text("fine")),
      Health.router(),
    ]);
    await using server = await live({ router, limits: { maxEventLoopDelayMs: 100 } });
    // One connection after the other, so that all are taken in one turn of the loop.
    const requests = `GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n${wire("GET", "/health/live")}`;
    let answers = await server.talk(requests);
    // On a machine that has no time the first may find the loop late already.
    for (let attempt = 0; attempt < 10_000 && statusOf(answers) === 503; attempt += 1) {
      answers = await server.talk(requests);
    }
    assert.deepEqual(answers.match(/HTTP\/1\.1 \d{3}/g), ["HTTP/1.1 200", "HTTP/1.1 503", "HTTP/1.1 200"]);
    assert.match(answers, /\r\nretry-after: 1\r\n/);
    // On a machine that has no time the next turn may be late, too.
    let next = 503;
    for (let attempt = 0; attempt < 10_000 && next === 503; attempt += 1) {
      next = statusOf(await server.talk(wire("GET", "/")));
    }
    assert.equal(next, 200);
  });
});

/** A clock whose event loop is held up by hand. */
class Loop implements Time.Clock {
  #time = 0;
  #timer: { readonly due: number; readonly callback: () => void } | undefined;

  readonly now = (): number => this.#time;
  readonly monotonic = (): number => this.#time;

  after(ms: number, callback: () => void): () => void {
    this.#timer = { due: this.#time + ms, callback };
    return () => (this.#timer = undefined);
  }

  /** Work of so many milliseconds, in the turn of the loop that goes on. */
  work(ms: number): void {
    this.#time += ms;
  }

  /** Ends the turn: a timer that is due by now fires. */
  turn(): void {
    const timer = this.#timer;
    if (timer !== undefined && timer.due <= this.#time) timer.callback();
  }

  /** Nothing to do for so many milliseconds. */
  idle(ms: number): void {
    const end = this.#time + ms;
    while (this.#timer !== undefined && this.#timer.due <= end) {
      this.#time = Math.max(this.#time, this.#timer.due);
      this.turn();
    }
    this.#time = end;
  }
}

describe("whether the process keeps up", () => {
  function stand(context: TestContext, limit: number): { readonly loop: Loop; readonly overload: LoadShedder } {
    const loop = new Loop();
    context.after(Time.useClock(loop));
    return { loop, overload: new LoadShedder(limit) };
  }

  /** How many of the requests of one turn are let in, each of which takes so many milliseconds. */
  function letIn(loop: Loop, overload: LoadShedder, requests: number, ms: number): number {
    let count = 0;
    for (let request = 0; request < requests; request += 1) {
      if (overload.shouldShed) continue;
      loop.work(ms);
      count += 1;
    }
    loop.turn();
    return count;
  }

  test("is asked only between start and stop, and not without a limit", (context) => {
    const { loop, overload } = stand(context, 500);
    loop.work(5000);
    assert.equal(overload.shouldShed, false);
    overload.start();
    loop.work(5000);
    assert.equal(overload.shouldShed, true);
    overload.stop();
    assert.equal(overload.shouldShed, false);
    const unlimited = new LoadShedder(0);
    unlimited.start();
    loop.work(5000);
    assert.equal(unlimited.shouldShed, false);
  });

  test("a burst below the limit is let in whole, and what comes beyond it is refused", (context) => {
    const { loop, overload } = stand(context, 500);
    overload.start();
    loop.idle(1000);
    assert.equal(letIn(loop, overload, 20, 20), 20);
    loop.idle(50);
    assert.equal(letIn(loop, overload, 100, 20), 28);
  });

  test("after that each turn takes a few, who comes first among them, until there was time again", (context) => {
    const { loop, overload } = stand(context, 500);
    overload.start();
    loop.work(700);
    assert.equal(overload.shouldShed, true);
    loop.turn();
    for (let turn = 0; turn < 50; turn += 1) assert.equal(letIn(loop, overload, 20, 4), 2);
    loop.idle(400);
    assert.equal(letIn(loop, overload, 20, 4), 2);
    loop.idle(1000);
    assert.equal(letIn(loop, overload, 20, 4), 20);
  });

  test("turns that are late again take the time away that there was", (context) => {
    const { loop, overload } = stand(context, 500);
    overload.start();
    loop.work(700);
    assert.equal(overload.shouldShed, true);
    loop.turn();
    for (let round = 0; round < 100; round += 1) {
      loop.idle(20);
      for (let late = 0; late < 12; late += 1) {
        loop.work(10);
        loop.turn();
      }
    }
    assert.equal(letIn(loop, overload, 20, 4), 2);
  });
});

describe("health", () => {
  const serviceThat = (name: string, health: () => Promise<void>): Service.Service => Services.make({ name, health });

  test("is live while the process answers, and ready while all services say so", async () => {
    let isBroken = false;
    const database = serviceThat("database", async () => {
      if (isBroken) throw new Error("secret detail");
    });
    await using server = await live({ router: Health.router() }, [], [database, Services.make({ name: "clock" })]);
    const ask = (path: string): Promise<globalThis.Response> =>
      server.http.fetch(new globalThis.Request(`http://localhost${path}`));
    assert.deepEqual(await (await ask("/health/live")).json(), { status: "live" });
    assert.deepEqual(await (await ask("/health/ready")).json(), { status: "ready", services: { database: "ok" } });
    isBroken = true;
    const response = await ask("/health/ready");
    assert.deepEqual(
      [response.status, await response.json()],
      [503, { status: "not ready", services: { database: "failed" } }],
    );
    assert.equal((await ask("/health/live")).status, 200);
  });

  test("is not ready when a service says nothing in time", async () => {
    const stuck = serviceThat("stuck", () => new Promise(() => {}));
    await using server = await live({ router: Health.router({ path: "/up", patience: 10 }) }, [], [stuck]);
    assert.equal((await server.http.fetch(new globalThis.Request("http://localhost/up/ready"))).status, 503);
  });

  test("asks the services once for many who ask at once", async () => {
    let asked = 0;
    const database = serviceThat("database", async () => void (asked += 1));
    await using server = await live({ router: Health.router() }, [], [database]);
    await Promise.all(
      Array.from({ length: 10 }, () => server.http.fetch(new globalThis.Request("http://localhost/health/ready"))),
    );
    assert.equal(asked, 1);
  });

  test("is not ready while the server stops", async () => {
    const server = await live({ router: Health.router() });
    const stopped = server.http.stop();
    assert.equal((await server.http.fetch(new globalThis.Request("http://localhost/health/ready"))).status, 503);
    await stopped;
  });
});

describe("the access log", () => {
  test("tells of each answer, its query left out", async () => {
    await using server = await live({ router: get("/a", () => Response.text("")), accessLog: true });
    await server.talk(wire("GET", "/a?token=secret"));
    await server.talk(wire("GET", "/nothing"));
    await server.talk(wire("GET", "/%zz"));
    assert.deepEqual(server.logged.slice(1), ["GET /a 200", "GET /nothing 404", "GET /%zz 400"]);
  });
});
