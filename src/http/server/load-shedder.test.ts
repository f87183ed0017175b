import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { Service } from "../../core/index.ts";
import { Service as Services } from "../../core/index.ts";
import * as Health from "../../web/health/health.ts";
import { Response } from "../message/response.ts";
import { choose, get } from "../router/route.ts";
import { type Time, TimeInternals } from "../../time/index.ts";
import { live, statusOf, wire } from "./live.test.ts";
import { LoadShedder } from "./load-shedder.ts";

/** Blocks the event loop. */
function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

describe("overload", () => {
  test("sheds requests while the event loop is late, and answers health checks", async () => {
    const router = choose([
      get("/slow", () => {
        block(300);
        return Response.text("slow");
      }),
      get("/", () => Response.text("fine")),
      Health.router(),
    ]);
    await using server = await live({ router, limits: { maxEventLoopDelayMs: 100 } });
    // Opened one after the other, so that one turn of the loop accepts all of them.
    const requests = `GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n${wire("GET", "/health/live")}`;
    let answers = await server.talk(requests);
    // On a busy machine the loop may be late already at the first request.
    for (let attempt = 0; attempt < 10_000 && statusOf(answers) === 503; attempt += 1) {
      answers = await server.talk(requests);
    }
    assert.deepEqual(answers.match(/HTTP\/1\.1 \d{3}/g), ["HTTP/1.1 200", "HTTP/1.1 503", "HTTP/1.1 200"]);
    assert.match(answers, /\r\nretry-after: 1\r\n/);
    // On a busy machine the next turn may be late as well.
    let next = 503;
    for (let attempt = 0; attempt < 10_000 && next === 503; attempt += 1) {
      next = statusOf(await server.talk(wire("GET", "/")));
    }
    assert.equal(next, 200);
  });
});

/** Clock with an event loop that the test controls. */
class Loop implements Time.Clock {
  #time = 0;
  #timer: { readonly due: number; readonly callback: () => void } | undefined;

  readonly now = (): number => this.#time;
  readonly monotonic = (): number => this.#time;

  after(ms: number, callback: () => void): () => void {
    this.#timer = { due: this.#time + ms, callback };
    return () => (this.#timer = undefined);
  }

  /** Simulates work of this many milliseconds in the current turn of the loop. */
  work(ms: number): void {
    this.#time += ms;
  }

  /** Ends the turn: a due timer fires. */
  turn(): void {
    const timer = this.#timer;
    if (timer !== undefined && timer.due <= this.#time) timer.callback();
  }

  /** Simulates idle time of this many milliseconds. */
  idle(ms: number): void {
    const end = this.#time + ms;
    while (this.#timer !== undefined && this.#timer.due <= end) {
      this.#time = Math.max(this.#time, this.#timer.due);
      this.turn();
    }
    this.#time = end;
  }
}

describe("the load shedder", () => {
  function stand(context: TestContext, limit: number): { readonly loop: Loop; readonly overload: LoadShedder } {
    const loop = new Loop();
    context.after(TimeInternals.useClock(loop));
    return { loop, overload: new LoadShedder(limit) };
  }

  /** Returns how many requests of one turn are accepted, if each takes this many milliseconds. */
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

  test("sheds only between start and stop, and never without a limit", (context) => {
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

  test("accepts a burst within the limit, and sheds beyond it", (context) => {
    const { loop, overload } = stand(context, 500);
    overload.start();
    loop.idle(1000);
    assert.equal(letIn(loop, overload, 20, 20), 20);
    loop.idle(50);
    assert.equal(letIn(loop, overload, 100, 20), 28);
  });

  test("then accepts the first requests of each turn, until the process has recovered", (context) => {
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

  test("late ticks postpone the recovery", (context) => {
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

  test("is live while the process responds, and ready while all services are healthy", async () => {
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

  test("is not ready if a health check times out", async () => {
    const stuck = serviceThat("stuck", () => new Promise(() => {}));
    await using server = await live({ router: Health.router({ path: "/up", timeoutMs: 10 }) }, [], [stuck]);
    assert.equal((await server.http.fetch(new globalThis.Request("http://localhost/up/ready"))).status, 503);
  });

  test("runs one health check for concurrent requests", async () => {
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
    const status = async (): Promise<number> =>
      (await server.http.fetch(new globalThis.Request("http://localhost/health/ready"))).status;
    // First the listener is closed.
    while ((await status()) === 200) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await status(), 503);
    await stopped;
  });
});

describe("the access log", () => {
  test("logs each response, without its query", async () => {
    await using server = await live({ router: get("/a", () => Response.text("")), accessLog: true });
    await server.talk(wire("GET", "/a?token=secret"));
    await server.talk(wire("GET", "/nothing"));
    await server.talk(wire("GET", "/%zz"));
    assert.deepEqual(server.logged.slice(1), ["GET /a 200", "GET /nothing 404", "GET /%zz 400"]);
  });
});
