// Two machines with loopback addresses of their own, a load balancer in front of them, and one PostgreSQL: docs/guide/scale.md.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { platform } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import type { Database } from "limmat/database";
import { postgresql } from "limmat/database/postgresql";
import { waitFor } from "limmat/testing";
import { makeCookieJar } from "../src/testing/cookie-jar.ts";
import { type LoadBalancer, startLoadBalancer } from "./servers/load-balancer.ts";
import { postgresql as kind } from "./servers/postgresql.ts";
import { freePort } from "./servers/process.ts";
import { withServer } from "./servers/server.ts";
import { root } from "./sources.ts";

// Only Linux answers on all addresses of 127.0.0.0/8.
const skip = platform() === "linux" ? false : "one loopback address only";
const addresses = ["127.0.0.2", "127.0.0.3"] as const;
const secret = randomBytes(32).toString("hex");

/** State of a visitor. */
export interface State {
  readonly machine: string;
  readonly csrf: string;
  readonly notice?: string;
  readonly draft?: string;
  readonly client: string;
}

/** Visitor with the cookies of a browser. */
export class Visitor {
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

/** Machines under test. */
export interface Machines {
  readonly database: Database;
  readonly balancer: () => LoadBalancer;
  /** Sends a signal to a machine, and waits until it has ended and the balancer knows. */
  readonly end: (index: number, signal: NodeJS.Signals) => Promise<void>;
  /** Starts a machine, and waits until the balancer knows that it is ready. */
  readonly start: (index: number) => Promise<void>;
}

/** Registers tests of two running machines. Without PostgreSQL they are skipped. */
export async function testMachines(register: (machines: Machines) => void): Promise<void> {
  await withServer(kind, ({ url }) => {
    describe("two machines", { skip }, () => {
      const database = postgresql({ url, connectTimeoutMs: 120_000 });
      const processes: ChildProcess[] = [];
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
        processes[index] = child;
        await waitFor(() => balancer.isReady(index));
      };

      before(async () => {
        for (const address of addresses) ports.push(await freePort(address));
        balancer = await startLoadBalancer(addresses.map((host, index) => ({ host, port: ports[index] ?? 0 })));
        await database.start({ services: [] });
        // Both at once: one migrates, the other waits.
        await Promise.all([startMachine(0), startMachine(1)]);
      });

      after(async () => {
        for (const machine of processes) {
          const exited = once(machine, "exit");
          machine.kill("SIGKILL");
          await exited;
        }
        await balancer[Symbol.asyncDispose]();
        await database.stop();
      });

      const end = async (index: number, signal: NodeJS.Signals): Promise<void> => {
        const machine = processes[index] as ChildProcess;
        const exited = once(machine, "exit");
        machine.kill(signal);
        await exited;
        await waitFor(() => !balancer.isReady(index));
      };

      register({ database, balancer: () => balancer, end, start: startMachine });
    });
  });
}
