// `server --workers`, with real processes.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, type ClientRequest, request } from "node:http";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { parse } from "../src/services/metrics/parse.test.ts";

const fixture = new URL("./fixtures/serve-web.ts", import.meta.url).pathname;

interface Event {
  readonly message: string;
  readonly worker?: number;
}

interface Program {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly events: () => readonly Event[];
  /** Waits until so many events have this message, from the beginning of the program on. */
  readonly told: (message: RegExp, times?: number) => Promise<readonly Event[]>;
  /** Waits until it has said this. */
  readonly says: (part: string) => Promise<void>;
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
  // The pipes close when no process holds them any more: workers that outlive the program would.
  let isOver = false;
  const exit = once(child, "close").then(([code]) => {
    isOver = true;
    return code as number | null;
  });
  const events = (): readonly Event[] =>
    [...output.matchAll(/^\{.*\}(?=\n)/gm)].map(([line]) => JSON.parse(line) as Event);
  const more = async (awaited: string): Promise<void> => {
    assert.ok(!isOver, `ended before "${awaited}":\n${output}`);
    await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), exit]);
  };
  const told = async (message: RegExp, times = 1): Promise<readonly Event[]> => {
    for (;;) {
      const found = events().filter((event) => message.test(event.message));
      if (found.length >= times) return found;
      await more(message.source);
    }
  };
  const says = async (part: string): Promise<void> => {
    while (!output.includes(part)) await more(part);
  };
  return { process: child, output: () => output, events, told, says, exit };
}

const listening = /^Listening on /;
const portOf = (event: Event | undefined): number => Number(event?.message.split(":").at(-1));

/** Sends one request and gives the text of the answer. */
function ask(port: number, path = "/", agent: Agent | false = false): { sent: ClientRequest; answer: Promise<string> } {
  const sent = request({ host: "127.0.0.1", port, path, agent });
  const answer = once(sent, "response").then(([response]) => text(response as NodeJS.ReadableStream));
  sent.end();
  return { sent, answer };
}

/** The process that answers each of so many connections. */
const askMany = (port: number, times: number): Promise<string[]> =>
  Promise.all(Array.from({ length: times }, () => ask(port).answer));

const isRunning = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

interface Clients {
  /** The processes that answered. */
  readonly by: ReadonlySet<string>;
  /** Waits until so many more requests are answered, or lost. */
  readonly go: (requests: number) => Promise<void>;
  /** Ends them, and gives why requests were lost. */
  readonly end: () => Promise<readonly unknown[]>;
}

/**
 * Keeps so many connections busy. A request on a connection that the server closed before reading it is sent again, as all
 * HTTP clients do (RFC 9110 §9.2.2).
 */
function busy(port: number, connections: number): Clients {
  const lost: unknown[] = [];
  const by = new Set<string>();
  let count = 0;
  let onCount = (): void => {};
  const control = new AbortController();
  const client = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!control.signal.aborted) {
      const { sent, answer } = ask(port, "/", agent);
      try {
        by.add(await answer);
      } catch (cause) {
        if (sent.reusedSocket) continue;
        lost.push(cause);
      }
      count += 1;
      onCount();
    }
    agent.destroy();
  };
  const clients = Promise.all(Array.from({ length: connections }, client));
  return {
    by,
    go: (requests) => {
      const enough = count + requests;
      return new Promise((resolve) => {
        onCount = () => {
          if (count >= enough) resolve();
        };
      });
    },
    end: async () => {
      control.abort();
      await clients;
      return lost;
    },
  };
}

test("workers share one port, log their number, announce the environment once, and end together", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const started = await program.told(listening, 2);
  assert.deepEqual(new Set(started.map(({ worker }) => worker)), new Set([1, 2]));
  const [first, second] = started.map(portOf);
  assert.equal(first, second);
  const pids = new Set(await askMany(first ?? 0, 8));
  assert.equal(pids.size, 2);
  assert.equal(pids.has(String(program.process.pid)), false);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
  assert.equal(program.events().filter(({ message }) => message === "Starting in test").length, 1);
  assert.deepEqual([...pids].filter(isRunning), []);
});

test("a worker that dies is replaced while another answers", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const [event] = await program.told(listening, 2);
  const port = portOf(event);
  await assert.rejects(ask(port, "/die").answer, { code: "ECONNRESET" });
  assert.equal((await askMany(port, 4)).length, 4);
  await program.told(/^A worker has ended and is replaced$/);
  const started = await program.told(listening, 3);
  assert.equal(started.at(-1)?.worker, 3);
  assert.equal(new Set(await askMany(port, 8)).size, 2);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
});

test("a connection that a worker was given and did not take before it died is answered by another", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const [event] = await program.told(listening, 2);
  const port = portOf(event);
  const [pid] = new Set(await askMany(port, 8));
  process.kill(Number(pid), "SIGSTOP");
  let answered = 0;
  const three = Promise.withResolvers<void>();
  const answers = Array.from({ length: 4 }, async () => {
    const answer = await ask(port).answer;
    if (++answered === 3) three.resolve();
    return answer;
  });
  await three.promise;
  process.kill(Number(pid), "SIGKILL");
  assert.equal(new Set(await Promise.all(answers)).has(pid ?? ""), false);
});

test("SIGHUP replaces the workers one by one, and no request of busy clients is lost", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const [event] = await program.told(listening, 2);
  const port = portOf(event);
  const before = new Set(await askMany(port, 8));
  const clients = busy(port, 8);
  await clients.go(100);
  program.process.kill("SIGHUP");
  await program.told(/^The workers are replaced$/);
  assert.deepEqual([...before].filter(isRunning), []);
  const after = new Set(await askMany(port, 8));
  await clients.go(100);
  assert.deepEqual(await clients.end(), []);
  assert.deepEqual([before.size, after.size, before.intersection(after).size], [2, 2, 0]);
  assert.ok(clients.by.intersection(before).size > 0 && clients.by.intersection(after).size > 0);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
});

test("SIGTERM answers what has arrived, and the process ends with 0", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const [event] = await program.told(listening, 2);
  const answers = Array.from({ length: 10 }, () => ask(portOf(event), "/slow").answer);
  await program.told(/^arrived$/, answers.length);
  program.process.kill("SIGTERM");
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(["done"]));
  assert.equal(await program.exit, 0);
});

const requests = "http_server_request_duration_seconds";

/** How many requests of the route `/` each worker has answered, by its number, as any of them says. */
async function answeredBy(port: number): Promise<ReadonlyMap<string, number>> {
  const metrics = parse(await Promise.any(Array.from({ length: 4 }, () => ask(port, "/metrics").answer)));
  const lines = metrics.get(requests)?.lines ?? [];
  const counts = lines.filter(({ name, labels }) => name === `${requests}_count` && labels["http_route"] === "/");
  const known = (metrics.get("process_resident_memory_bytes")?.lines ?? []).map(({ labels }) => labels["worker"] ?? "");
  return new Map(known.map((worker) => [worker, counts.find(({ labels }) => labels["worker"] === worker)?.value ?? 0]));
}

const sum = (counts: ReadonlyMap<string, number>): number => counts.values().reduce((all, count) => all + count, 0);

/** Reads until it is as expected: an answer is counted a moment after its client has it. */
async function untilAnswered(port: number, isRight: (counts: ReadonlyMap<string, number>) => boolean): Promise<void> {
  for (;;) if (isRight(await answeredBy(port))) return;
}

test("whichever worker is asked, the metrics are those of all, and none is lost when one is replaced", async (t) => {
  const program = start(t, ["--workers", "2"]);
  const [event] = await program.told(listening, 2);
  const port = portOf(event);
  const pids = await askMany(port, 20);
  await untilAnswered(port, (counts) => counts.size === 2 && sum(counts) === 20);
  for (let at = 0; at < 5; at++) {
    const counts = await answeredBy(port);
    assert.deepEqual([...counts.keys()].sort(), ["1", "2"]);
    assert.equal(sum(counts), 20);
    assert.ok(counts.values().every((count) => count > 0));
  }
  // One that does not answer any more is left out, and hides nobody else.
  const [stopped] = pids;
  process.kill(Number(stopped), "SIGSTOP");
  await untilAnswered(port, (counts) => counts.size === 1 && sum(counts) > 0);
  process.kill(Number(stopped), "SIGCONT");
  await untilAnswered(port, (counts) => counts.size === 2 && sum(counts) === 20);
  program.process.kill("SIGHUP");
  await program.told(/^The workers are replaced$/);
  await untilAnswered(port, (counts) => counts.has("3") && counts.has("4") && counts.size === 2);
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 0);
});

test("a program that cannot start reports so once and ends with 1", async (t) => {
  const program = start(t, ["--workers", "2"], { BEHAVIOUR: "fail" });
  assert.equal(await program.exit, 1);
  assert.equal(program.output().match(/the database is away/g)?.length, 1);
  assert.match(program.output(), /E_WORKERS_START/);
});

test("wrong configuration is reported before any worker starts", async (t) => {
  const program = start(t, ["--workers", "2"], { PORT: "http" });
  assert.equal(await program.exit, 1);
  assert.match(program.output(), /PORT +must be/);
  assert.doesNotMatch(program.output(), /E_WORKERS_START/);
});

test("a second signal ends all processes at once, stuck ones included", async (t) => {
  const program = start(t, ["--workers", "2"], { BEHAVIOUR: "hang" });
  await program.told(listening, 2);
  program.process.kill("SIGTERM");
  await program.says("Once more");
  program.process.kill("SIGTERM");
  assert.equal(await program.exit, 143);
});

test("no worker outlives the process that started it", async (t) => {
  const program = start(t, ["--workers", "2"]);
  await program.told(listening, 2);
  program.process.kill("SIGKILL");
  assert.equal(await program.exit, null);
});

test("a number of workers that is none shows the usage", async (t) => {
  for (const args of [["--workers", "0"], ["--workers", "many"], ["--workers"], ["2"]]) {
    const program = start(t, args);
    assert.equal(await program.exit, 2, args.join(" "));
    assert.match(program.output(), /server \[--workers <n>\|auto\]/);
  }
});
