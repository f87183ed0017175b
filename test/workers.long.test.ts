// Tests of `server --workers` with real processes.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, type ClientRequest, request } from "node:http";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { isRunning } from "./servers/process.ts";
import { stopUnderRate } from "./soak/stop-rate.ts";
import { parse } from "../src/services/metrics/engine/exposition-parser.test.ts";

const fixture = new URL("./fixtures/serve-web.ts", import.meta.url).pathname;

interface Event {
  readonly message: string;
  readonly worker?: number;
}

interface Program {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly events: () => readonly Event[];
  /** Waits until the program has logged a message `times` times since its start. Returns the events. */
  readonly waitForEvents: (message: RegExp, times?: number) => Promise<readonly Event[]>;
  /** Waits until the output contains a text. */
  readonly waitForOutput: (text: string) => Promise<void>;
  readonly exit: Promise<number | null>;
}

function start(t: TestContext, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, ["--conditions=@limmat/source", fixture, "server", ...args], {
    env: { ...process.env, FRAMEWORK_ENV: "test", LOG_LEVEL: "info", PORT: "0", CHECK_CSRF: "true", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  // "close" follows only when no process holds the pipes any more, so it also detects workers that outlive the program.
  let hasExited = false;
  const exit = once(child, "close").then(([code]) => {
    hasExited = true;
    return code as number | null;
  });
  const events = (): readonly Event[] =>
    [...output.matchAll(/^\{.*\}(?=\n)/gm)].map(([line]) => JSON.parse(line) as Event);
  const moreOutput = async (awaited: string): Promise<void> => {
    assert.ok(!hasExited, `exited before "${awaited}":\n${output}`);
    await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), exit]);
  };
  const waitForEvents = async (message: RegExp, times = 1): Promise<readonly Event[]> => {
    for (;;) {
      const matches = events().filter((event) => message.test(event.message));
      if (matches.length >= times) return matches;
      await moreOutput(message.source);
    }
  };
  const waitForOutput = async (awaited: string): Promise<void> => {
    while (!output.includes(awaited)) await moreOutput(awaited);
  };
  return { process: child, output: () => output, events, waitForEvents, waitForOutput, exit };
}

const listening = /^Listening on /;
const portOf = (event: Event | undefined): number => Number(event?.message.split(":").at(-1));

/** Sends one request. Returns it with the promised response text. */
function send(port: number, path = "/", agent: Agent | false = false): { sent: ClientRequest; body: Promise<string> } {
  const sent = request({ host: "127.0.0.1", port, path, agent });
  const body = once(sent, "response").then(([response]) => text(response as NodeJS.ReadableStream));
  sent.end();
  return { sent, body };
}

/** Sends requests on separate connections. Returns the process ID that answered each of them. */
const answeringPids = (port: number, requests: number): Promise<string[]> =>
  Promise.all(Array.from({ length: requests }, () => send(port).body));

interface LoadGenerator {
  /** IDs of the processes that answered. */
  readonly pids: ReadonlySet<string>;
  /** Waits until this many more requests are answered or failed. */
  readonly waitForRequests: (requests: number) => Promise<void>;
  /** Stops the requests. Returns the errors of failed ones. */
  readonly stop: () => Promise<readonly unknown[]>;
}

/**
 * Sends requests continuously on several connections.
 *
 * Repeats a request on a connection that the server closed before reading it, as HTTP clients do (RFC 9110 §9.2.2).
 */
function generateLoad(port: number, connections: number): LoadGenerator {
  const failures: unknown[] = [];
  const pids = new Set<string>();
  let count = 0;
  let onCount = (): void => {};
  const controller = new AbortController();
  const client = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!controller.signal.aborted) {
      const { sent, body } = send(port, "/", agent);
      try {
        pids.add(await body);
      } catch (cause) {
        if (sent.reusedSocket) continue;
        failures.push(cause);
      }
      count += 1;
      onCount();
    }
    agent.destroy();
  };
  const clients = Promise.all(Array.from({ length: connections }, client));
  return {
    pids,
    waitForRequests: (requests) => {
      const targetCount = count + requests;
      return new Promise((resolve) => {
        onCount = () => {
          if (count >= targetCount) resolve();
        };
      });
    },
    stop: async () => {
      controller.abort();
      await clients;
      return failures;
    },
  };
}

test("warns once at start that CSRF tokens are not checked, with and without workers", async (t) => {
  for (const args of [[], ["--workers", "2"]]) {
    const program = start(t, args, { CHECK_CSRF: "false" });
    await program.waitForEvents(listening, args.length === 0 ? 1 : 2);
    assert.deepEqual(
      program.events().flatMap(({ message }) => (/CSRF|CHECK_CSRF/.test(message) ? [message] : [])),
      ["CSRF tokens are not checked: set CHECK_CSRF to true to check them in this environment"],
    );
    program.process.kill("SIGTERM");
    assert.equal(await program.exit, 0);
  }
});

test("workers share one port, log their number, log the environment once, and exit together", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const started = await program.waitForEvents(listening, 2);
  assert.deepEqual(new Set(started.map(({ worker }) => worker)), new Set([1, 2]));
  const [first, second] = started.map(portOf);
  assert.equal(first, second);
  const pids = new Set(await answeringPids(first ?? 0, 8));
  assert.equal(pids.size, 2);
  assert.equal(pids.has(String(program.process.pid)), false);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
  assert.equal(program.events().filter(({ message }) => message === "Starting in test").length, 1);
  assert.deepEqual([...pids].map(Number).filter(isRunning), []);
});

test("replaces a worker that exits while another one answers", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const [event] = await program.waitForEvents(listening, 2);
  const port = portOf(event);
  await assert.rejects(send(port, "/die").body, { code: "ECONNRESET" });
  assert.equal((await answeringPids(port, 4)).length, 4);
  await program.waitForEvents(/^Worker exited and is replaced$/);
  const started = await program.waitForEvents(listening, 3);
  assert.equal(started.at(-1)?.worker, 3);
  assert.equal(new Set(await answeringPids(port, 8)).size, 2);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
});

test("redistributes a connection that a worker had not accepted before it died", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const [event] = await program.waitForEvents(listening, 2);
  const port = portOf(event);
  const [pid] = new Set(await answeringPids(port, 8));
  process.kill(Number(pid), "SIGSTOP");
  let answered = 0;
  const three = Promise.withResolvers<void>();
  const answers = Array.from({ length: 4 }, async () => {
    const body = await send(port).body;
    if (++answered === 3) three.resolve();
    return body;
  });
  await three.promise;
  process.kill(Number(pid), "SIGKILL");
  assert.equal(new Set(await Promise.all(answers)).has(pid ?? ""), false);
});

test("replaces the workers one by one on SIGHUP without losing a request under load", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const [event] = await program.waitForEvents(listening, 2);
  const port = portOf(event);
  const before = new Set(await answeringPids(port, 8));
  const load = generateLoad(port, 8);
  await load.waitForRequests(100);
  program.process.kill("SIGHUP");
  await program.waitForEvents(/^Workers replaced$/);
  assert.deepEqual([...before].map(Number).filter(isRunning), []);
  const after = new Set(await answeringPids(port, 8));
  await load.waitForRequests(100);
  assert.deepEqual(await load.stop(), []);
  assert.deepEqual([before.size, after.size, before.intersection(after).size], [2, 2, 0]);
  assert.ok(load.pids.intersection(before).size > 0 && load.pids.intersection(after).size > 0);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
});

test("answers received requests after SIGTERM and exits with 0", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const [event] = await program.waitForEvents(listening, 2);
  const answers = Array.from({ length: 10 }, () => send(portOf(event), "/slow").body);
  await program.waitForEvents(/^arrived$/, answers.length);
  program.process.kill("SIGTERM");
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(["done"]));
  assert.equal(await program.exit, 0);
});

for (const args of [[], ["--workers", "2"]]) {
  test(`answers or refuses each new connection while ${args.length === 0 ? "one process" : "workers"} stop`, async () => {
    for (let stops = 0; stops < 3; stops++) {
      const { answered, lost, exitCode } = await stopUnderRate({ args, requestsPerSecond: 1000, loadMs: 300 });
      assert.deepEqual([lost, exitCode], [{}, 0]);
      assert.ok(answered > 0);
    }
  });
}

const requests = "http_server_request_duration_seconds";

/** Returns the number of requests of the route `/` by worker number, from the metrics of any worker. */
async function requestCounts(port: number): Promise<ReadonlyMap<string, number>> {
  const metrics = parse(await Promise.any(Array.from({ length: 4 }, () => send(port, "/metrics").body)));
  const lines = metrics.get(requests)?.lines ?? [];
  const counts = lines.filter(({ name, labels }) => name === `${requests}_count` && labels["http_route"] === "/");
  const workers = (metrics.get("process_resident_memory_bytes")?.lines ?? []).map(
    ({ labels }) => labels["worker"] ?? "",
  );
  return new Map(
    workers.map((worker) => [worker, counts.find(({ labels }) => labels["worker"] === worker)?.value ?? 0]),
  );
}

const sum = (counts: ReadonlyMap<string, number>): number => counts.values().reduce((all, count) => all + count, 0);

/** Polls the counts until they match. A response is counted shortly after its client has received it. */
async function waitForCounts(port: number, isMatch: (counts: ReadonlyMap<string, number>) => boolean): Promise<void> {
  for (;;) if (isMatch(await requestCounts(port))) return;
}

test("each worker returns the metrics of all workers, and a replaced worker's metrics are not lost", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const [event] = await program.waitForEvents(listening, 2);
  const port = portOf(event);
  const pids = await answeringPids(port, 20);
  await waitForCounts(port, (counts) => counts.size === 2 && sum(counts) === 20);
  for (let round = 0; round < 5; round++) {
    const counts = await requestCounts(port);
    assert.deepEqual([...counts.keys()].sort(), ["1", "2"]);
    assert.equal(sum(counts), 20);
    assert.ok(counts.values().every((count) => count > 0));
  }
  // A worker that does not answer is left out; the others are still reported.
  const [stopped] = pids;
  process.kill(Number(stopped), "SIGSTOP");
  await waitForCounts(port, (counts) => counts.size === 1 && sum(counts) > 0);
  process.kill(Number(stopped), "SIGCONT");
  await waitForCounts(port, (counts) => counts.size === 2 && sum(counts) === 20);
  program.process.kill("SIGHUP");
  await program.waitForEvents(/^Workers replaced$/);
  await waitForCounts(port, (counts) => counts.has("3") && counts.has("4") && counts.size === 2);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
});

test("reports a failed start once and exits with 1", async (t) => {
  const program = start(t, ["--workers", "2"], { BEHAVIOUR: "fail" });
  assert.equal(await program.exit, 1);
  assert.equal(program.output().match(/the database is away/g)?.length, 1);
  assert.match(program.output(), /E_WORKERS_START/);
});

test("reports invalid configuration before any worker starts", async (t) => {
  const program = start(t, ["--workers", "2"], { PORT: "http" });
  assert.equal(await program.exit, 1);
  assert.match(program.output(), /PORT +must be/);
  assert.doesNotMatch(program.output(), /E_WORKERS_START/);
});

test("exits all processes immediately on a second signal, including blocked ones", async (t) => {
  const program = start(t, ["--workers", "2"], { BEHAVIOUR: "hang" });
  await program.waitForEvents(listening, 2);
  program.process.kill("SIGTERM");
  await program.waitForOutput("Send it again");
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 143);
});

test("kills all workers when the primary process dies", async (t) => {
  const program = start(t, ["--workers", "2"]);
  await program.waitForEvents(listening, 2);
  program.process.kill("SIGKILL");
  assert.equal(await program.exit, null);
});

test("shows the usage for an invalid number of workers", async (t) => {
  for (const args of [["--workers", "0"], ["--workers", "many"], ["--workers"], ["2"]]) {
    const program = start(t, args);
    assert.equal(await program.exit, 2, args.join(" "));
    assert.match(program.output(), /server \[--workers <n>\|auto \[--state-file <path>\]\]/);
  }
});
