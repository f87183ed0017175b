import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test, type TestContext } from "node:test";
import type { Service } from "../../core/index.ts";
import { Service as Services } from "../../core/index.ts";
import * as Health from "../../web/health/health.ts";
import { Response } from "../message/response.ts";
import { choose, get } from "../router/route.ts";
import { type Time, TimeInternals } from "../../time/index.ts";
import { waitFor } from "../../testing/index.ts";
import { live, statusOf, wire } from "./live.test.ts";
import { createMessageMarker, LoadShedder, type QueueMarker } from "./load-shedder.ts";

describe("overload", () => {
  test("sheds requests while the event loop is late, and answers health checks", async (t) => {
    const clock = TimeInternals.fakeClock();
    let blockedMs = 0;
    t.after(TimeInternals.useClock({ ...clock, monotonic: () => clock.monotonic() + blockedMs }));
    const router = choose([
      get("/slow", () => {
        blockedMs += 300;
        return Response.text("slow");
      }),
      get("/", () => Response.text("fine")),
      Health.router(),
    ]);
    await using server = await live({ router, limits: { maxEventLoopDelayMs: 100 } });
    // The delay of the third request is measured from the second one on, if not from the first.
    const slow = "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const requests = `${slow}${slow}GET / HTTP/1.1\r\nHost: localhost\r\n\r\n${wire("GET", "/health/live")}`;
    await clock.advance(50);
    const answers = await server.talk(requests);
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    assert.deepEqual([statuses[0], ...statuses.slice(2)], ["200", "503", "200"]);
    assert.match(answers, /\r\nretry-after: 1\r\n/);
    await waitFor(async () => {
      await clock.advance(100);
      return statusOf(await server.talk(wire("GET", "/"))) === 200;
    }, t);
  });
});

/** Clock with an event loop that the test controls. */
class Loop implements Time.Clock {
  #time = 0;
  #timer: { readonly due: number; readonly callback: () => void } | undefined;
  #reachMarker: (() => void) | undefined;

  readonly now = (): number => this.#time;
  readonly monotonic = (): number => this.#time;

  after(ms: number, callback: () => void): () => void {
    this.#timer = { due: this.#time + ms, callback };
    return () => (this.#timer = undefined);
  }

  readonly createMarker = (onReached: () => void): QueueMarker => ({
    enqueue: () => (this.#reachMarker = onReached),
    close: () => (this.#reachMarker = undefined),
  });

  /** Simulates work of this many milliseconds in the present round of the queue. */
  work(ms: number): void {
    this.#time += ms;
  }

  /** Ends the round: the marker in the queue is reached, and then a due timer fires. */
  endRound(): void {
    const reach = this.#reachMarker;
    this.#reachMarker = undefined;
    reach?.();
    const timer = this.#timer;
    if (timer === undefined || timer.due > this.#time) return;
    this.#timer = undefined;
    timer.callback();
  }

  /** Simulates idle time of this many milliseconds. */
  idle(ms: number): void {
    const end = this.#time + ms;
    this.endRound();
    while (this.#timer !== undefined && this.#timer.due <= end) {
      this.#time = Math.max(this.#time, this.#timer.due);
      this.endRound();
      this.endRound();
    }
    this.#time = end;
  }
}

describe("the load shedder", () => {
  function stand(context: TestContext, limit: number): { readonly loop: Loop; readonly shedder: LoadShedder } {
    const loop = new Loop();
    context.after(TimeInternals.useClock(loop));
    const shedder = new LoadShedder(limit, loop.createMarker);
    shedder.start();
    return { loop, shedder };
  }

  /** Returns how many requests of one round are accepted, if each takes this many milliseconds. */
  function accept(loop: Loop, shedder: LoadShedder, requests: number, ms: number, shedMs = 0): number {
    let count = 0;
    for (let request = 0; request < requests; request += 1) {
      const isShed = shedder.shouldShed;
      loop.work(isShed ? shedMs : ms);
      count += isShed ? 0 : 1;
    }
    loop.endRound();
    return count;
  }

  /** Begins an overload: a round of 700 ms. */
  function overload(loop: Loop, shedder: LoadShedder): void {
    loop.work(50);
    assert.equal(shedder.shouldShed, false);
    loop.work(700);
    assert.equal(shedder.shouldShed, true);
    loop.endRound();
  }

  test("sheds only between start and stop, and never without a limit", (context) => {
    const { loop } = stand(context, 500);
    const shedder = new LoadShedder(500, loop.createMarker);
    const answers = (): readonly boolean[] => {
      loop.work(50);
      const first = shedder.shouldShed;
      loop.work(5000);
      return [first, shedder.shouldShed];
    };
    assert.deepEqual(answers(), [false, false]);
    shedder.start();
    assert.deepEqual(answers(), [false, true]);
    shedder.stop();
    assert.deepEqual(answers(), [false, false]);
    const unlimited = new LoadShedder(0, loop.createMarker);
    unlimited.start();
    assert.equal(unlimited.shouldShed, false);
    loop.work(5000);
    assert.equal(unlimited.shouldShed, false);
  });

  test("accepts a burst within the limit, and sheds beyond it", (context) => {
    const { loop, shedder } = stand(context, 500);
    loop.idle(50);
    assert.equal(accept(loop, shedder, 20, 20), 20);
    // Idle time is no delay.
    loop.idle(10_000);
    assert.equal(accept(loop, shedder, 100, 20), 26);
  });

  test("then accepts the first requests of each round, until the process has been idle", (context) => {
    const { loop, shedder } = stand(context, 500);
    overload(loop, shedder);
    const accepted = Array.from({ length: 20 }, () => accept(loop, shedder, 20, 4));
    assert.deepEqual(accepted, [3, ...Array.from({ length: 19 }, () => 2)]);
    loop.idle(400);
    assert.equal(accept(loop, shedder, 20, 4), 3);
    loop.idle(200);
    assert.equal(accept(loop, shedder, 20, 4), 20);
  });

  test("accepts requests in half of the time, if many have to be refused", (context) => {
    const { loop, shedder } = stand(context, 500);
    overload(loop, shedder);
    let accepted = 0;
    for (let round = 0; round < 6; round += 1) accepted = accept(loop, shedder, 500, 4, 0.25);
    // 28 × 4 ms and 472 × 0.25 ms.
    assert.equal(accepted, 28);
  });

  test("late measurements postpone the recovery", (context) => {
    const { loop, shedder } = stand(context, 500);
    overload(loop, shedder);
    for (let round = 0; round < 6; round += 1) {
      loop.idle(20);
      for (let late = 0; late < 12; late += 1) accept(loop, shedder, 20, 5);
    }
    loop.idle(100);
    assert.equal(accept(loop, shedder, 20, 4), 3);
  });

  test("accepts all requests after a second, and later after each repeated overload", (context) => {
    const { loop, shedder } = stand(context, 500);
    /** Returns the seconds until all of 20 requests a round are accepted. */
    const secondsUntilProbe = (): number => {
      const startMs = loop.monotonic();
      while (accept(loop, shedder, 20, 5) < 20);
      return Math.round((loop.monotonic() - startMs) / 1000);
    };
    const delays = [];
    for (let overloads = 0; overloads < 7; overloads += 1) {
      overload(loop, shedder);
      delays.push(secondsUntilProbe());
    }
    assert.deepEqual(delays, [1, 2, 4, 8, 16, 32, 32]);
    loop.idle(61_000);
    overload(loop, shedder);
    assert.equal(secondsUntilProbe(), 1);
  });

  test("a quarter of the limit ends a probe", (context) => {
    const { loop, shedder } = stand(context, 500);
    overload(loop, shedder);
    loop.idle(600);
    // 26 requests of 5 ms fit into 125 ms.
    assert.equal(accept(loop, shedder, 100, 5), 26);
    loop.idle(3000);
    // The probe is over: a burst has the whole limit.
    assert.equal(accept(loop, shedder, 200, 5), 101);
  });

  test("reaches its marker behind the events of the same time, and keeps no process alive", async () => {
    const reached = Promise.withResolvers<void>();
    const marker = createMessageMarker(reached.resolve);
    let isReached = false;
    void reached.promise.then(() => (isReached = true));
    const hold = setTimeout(() => {}, 60_000);
    marker.enqueue();
    await Promise.resolve();
    assert.equal(isReached, false);
    await reached.promise;
    clearTimeout(hold);
    marker.close();
    const code = `import { createMessageMarker } from ${JSON.stringify(new URL("load-shedder.ts", import.meta.url).href)};
      createMessageMarker(() => {}).enqueue();`;
    const args = ["--conditions=@limmat/source", "--input-type=module-typescript", "-e", code];
    assert.equal(spawnSync(process.execPath, args, { timeout: 150_000 }).status, 0);
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

  test("is not ready while the server stops", async (t) => {
    const server = await live({ router: Health.router() });
    const stopped = server.http.stop();
    const status = async (): Promise<number> =>
      (await server.http.fetch(new globalThis.Request("http://localhost/health/ready"))).status;
    // First the listener is closed.
    await waitFor(async () => (await status()) !== 200, t);
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
