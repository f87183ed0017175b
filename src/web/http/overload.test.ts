import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Service } from "../../core/index.ts";
import { Service as Services } from "../../core/index.ts";
import * as Health from "../health/health.ts";
import { Response } from "../response.ts";
import { choose, get } from "../router/route.ts";
import { live, statusOf, wire } from "./live.test.ts";

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
    await using server = await live({ router, limits: { delay: 100 } });
    // One connection after the other, so that all are taken in one turn of the loop.
    const answers = await server.talk(
      `GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n${wire("GET", "/health/live")}`,
    );
    assert.deepEqual(answers.match(/HTTP\/1\.1 \d{3}/g), ["HTTP/1.1 200", "HTTP/1.1 503", "HTTP/1.1 200"]);
    assert.match(answers, /\r\nretry-after: 1\r\n/);
    assert.equal(statusOf(await server.talk(wire("GET", "/"))), 200);
  });
});

describe("a server that was overloaded", () => {
  test("takes in a few at a time, until it has had time again", async () => {
    const work = get("/work/:ms", ({ params }) => {
      block(Number(params.ms));
      return Response.text("done");
    });
    await using server = await live({ router: work, limits: { delay: 500 } });
    const ask = async (...times: readonly number[]): Promise<string[]> => {
      const [last, ...others] = times.map((time) => `/work/${time}`).toReversed();
      const first = others.toReversed().map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      const answers = await server.talk(first.join("") + wire("GET", last ?? ""));
      return answers.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [];
    };
    const many = Array.from({ length: 20 }, () => 4);
    assert.deepEqual(new Set(await ask(...many)), new Set(["200"]), "a burst below the limit");
    assert.deepEqual(await ask(700, 0), ["200", "503"]);
    const busy = await ask(...many);
    assert.equal(busy[0], "200", "who comes first is let in");
    assert.ok(busy.filter((status) => status === "503").length > 10, String(busy));
    let answers = busy;
    for (let attempt = 0; attempt < 300 && answers.includes("503"); attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      answers = await ask(...many);
    }
    assert.deepEqual(new Set(answers), new Set(["200"]), "once there was time again");
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
