// Two machines with loopback addresses of their own, a load balancer in front of them, and one PostgreSQL: docs/guide/scale.md.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { platform } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Row, sql } from "limmat/database";
import { postgresql } from "limmat/database/postgresql";
import { makeCookieJar } from "../src/testing/cookie-jar.ts";
import { startLoad } from "./deploy/load.ts";
import { type LoadBalancer, startLoadBalancer } from "./servers/load-balancer.ts";
import { postgresql as kind } from "./servers/postgresql.ts";
import { freePort, waitUntil } from "./servers/process.ts";
import { withServer } from "./servers/server.ts";
import { root } from "./sources.ts";

// Only Linux answers on all addresses of 127.0.0.0/8.
const skip = platform() === "linux" ? false : "one loopback address only";
const addresses = ["127.0.0.2", "127.0.0.3"] as const;
const secret = randomBytes(32).toString("hex");

interface State {
  readonly machine: string;
  readonly csrf: string;
  readonly notice?: string;
  readonly draft?: string;
  readonly client: string;
}

/** Visitor with the cookies of a browser. */
class Visitor {
  readonly #url: string;
  readonly #cookies = makeCookieJar();
  #csrf = "";

  constructor(url: string) {
    this.#url = url;
  }

  async get(path: string): Promise<globalThis.Response> {
    return this.#fetch(path, {});
  }

  /** Reads the state of the visitor, and its CSRF token for the next form. */
  async state(): Promise<State> {
    const state = (await (await this.get("/")).json()) as State;
    this.#csrf = state.csrf;
    return state;
  }

  async post(path: string, fields: Readonly<Record<string, string>> = {}): Promise<globalThis.Response> {
    return this.#fetch(path, { method: "POST", body: new URLSearchParams({ ...fields, csrf: this.#csrf }) });
  }

  async #fetch(path: string, options: RequestInit): Promise<globalThis.Response> {
    const url = new URL(path, this.#url);
    const headers = { cookie: this.#cookies.header(url) };
    const response = await fetch(url, { ...options, headers, redirect: "manual" });
    for (const header of response.headers.getSetCookie()) this.#cookies.store(url, header);
    return response;
  }
}

await withServer(kind, ({ url }) => {
  describe("two machines", { skip }, () => {
    const database = postgresql({ url });
    const machines: ChildProcess[] = [];
    const ports: number[] = [];
    let balancer: LoadBalancer;

    const startMachine = async (index: number): Promise<void> => {
      const child = spawn(
        process.execPath,
        ["--conditions=@limmat/source", join(root, "test/fixtures/machine.ts"), "server"],
        {
          env: {
            ...process.env,
            FRAMEWORK_ENV: "production",
            FRAMEWORK_SECRET: secret,
            DATABASE_URL: url,
            MACHINE: `machine ${index + 1}`,
            HOST: addresses[index],
            PORT: String(ports[index]),
            TRUSTED_PROXIES: "127.0.0.1",
            LOG_LEVEL: "error",
          },
          stdio: ["ignore", "ignore", "inherit"],
        },
      );
      machines[index] = child;
      assert.ok(await waitUntil(async () => balancer.isReady(index)), `machine ${index + 1} is not ready`);
    };

    before(async () => {
      for (const address of addresses) ports.push(await freePort(address));
      balancer = await startLoadBalancer(addresses.map((host, index) => ({ host, port: ports[index] ?? 0 })));
      await database.start({ services: [] });
      // Both at once: one migrates, the other waits.
      await Promise.all([startMachine(0), startMachine(1)]);
    });

    after(async () => {
      for (const machine of machines) {
        const exited = once(machine, "exit");
        machine.kill("SIGKILL");
        await exited;
      }
      await balancer[Symbol.asyncDispose]();
      await database.stop();
    });

    test("session, flash message, CSRF token and login are of all machines", async () => {
      const visitor = new Visitor(balancer.url);
      const first = await visitor.state();
      // The balancer takes the machines in turn.
      const saved = await visitor.post("/draft", { value: "Milk" });
      assert.equal(saved.status, 303, await saved.text());
      const second = await visitor.state();
      const other = first.machine === "machine 1" ? "machine 2" : "machine 1";
      assert.deepEqual([second.machine, second.notice, second.draft], [first.machine, `Saved by ${other}`, "Milk"]);
      assert.equal(second.client, "127.0.0.1");

      await visitor.post("/register");
      await visitor.post("/login");
      const names = await Promise.all([visitor.get("/me"), visitor.get("/me")]);
      assert.deepEqual(await Promise.all(names.map((name) => name.text())), ["ada@example.com", "ada@example.com"]);
    });

    test("a request limit counts the requests to all machines", async () => {
      const visitor = new Visitor(balancer.url);
      const responses = await Promise.all(Array.from({ length: 25 }, () => visitor.get("/limited")));
      const allowed = responses.filter(({ status }) => status === 200);
      assert.deepEqual([allowed.length, responses.filter(({ status }) => status === 429).length], [10, 15]);
      const answered = await Promise.all(allowed.map((response) => response.text()));
      assert.equal(new Set(answered).size, 2);
    });

    test("each job runs once, whichever machine dispatched it", async () => {
      const visitor = new Visitor(balancer.url);
      await visitor.state();
      await Promise.all(Array.from({ length: 40 }, () => visitor.post("/visits")));
      const count = (): Promise<number> => database.find(sql.value(Row.int)`select count(*) from visits`);
      const states = sql.value(Row.int)`select count(*) from queue_jobs where finished_at is null`;
      assert.ok(await waitUntil(async () => (await database.find(states)) === 0));
      assert.equal(await count(), 40);
    });

    test("no request is lost while a machine is stopped, killed and started again", async () => {
      const visitor = new Visitor(balancer.url);
      const load = startLoad(Number(new URL(balancer.url).port), "/", 8);
      for (const [index, signal] of [
        [0, "SIGTERM"],
        [1, "SIGKILL"],
      ] as const) {
        const machine = machines[index] as ChildProcess;
        const exited = once(machine, "exit");
        machine.kill(signal);
        await exited;
        assert.ok(await waitUntil(async () => !balancer.isReady(index)));
        await startMachine(index);
        const name = `machine ${index + 1}`;
        assert.ok(await waitUntil(async () => (await visitor.state()).machine === name), `${name} gets no request`);
      }
      const { answered, lost } = await load.stop();
      assert.deepEqual(lost, []);
      assert.ok(answered > 0);
    });
  });
});
