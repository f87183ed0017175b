// The clock is fake: no time limit of `readRunningFrames` expires, however long a busy machine takes.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fakeClock } from "../testing/index.ts";
import { readRunningFrames } from "./running-frames.ts";

/** Process with an open inspector. */
interface InspectedProcess extends Disposable {
  readonly child: ChildProcess;
  readonly url: string;
}

async function run(program: string): Promise<InspectedProcess> {
  const child = spawn(process.execPath, ["--inspect=127.0.0.1:0", "--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 300_000,
  });
  for await (const line of createInterface(child.stderr)) {
    const [, url] = /listening on (ws:\S+)/.exec(line) ?? [];
    if (url !== undefined) return { child, url, [Symbol.dispose]: () => child.kill("SIGKILL") };
  }
  throw new Error("The process has exited.");
}

/** Attaches a debugger that stops at breakpoints, and waits for a message that contains the text. */
async function attach(url: string, text = '"id":1'): Promise<WebSocket> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  const isAttached = nextMessage(socket, text);
  socket.send(JSON.stringify({ id: 1, method: "Debugger.enable" }));
  await isAttached;
  return socket;
}

/** Waits for the next message that contains the text. */
function nextMessage(socket: WebSocket, text: string): Promise<void> {
  return new Promise((resolve) =>
    socket.addEventListener("message", ({ data }) => {
      if (String(data).includes(text)) resolve();
    }),
  );
}

const loop = `
function compute() { for (;;) Math.sqrt(2); }
compute();`;

test("returns the frames of a loop, and lets it run on", async () => {
  using _ = fakeClock();
  using project = await run(loop);
  for (let count = 0; count < 2; count++) {
    assert.equal((await readRunningFrames(project.url))[0]?.name, "compute");
  }
});

test("lets a loop run on to which another debugger is attached", async () => {
  using _ = fakeClock();
  using project = await run(loop);
  using debuggerOfUser = disposable(await attach(project.url));
  const resumed = nextMessage(debuggerOfUser.socket, "Debugger.resumed");
  assert.equal((await readRunningFrames(project.url))[0]?.name, "compute");
  await resumed;
});

test("returns no frames of a process that waits", async () => {
  using project = await run("setInterval(() => {}, 60_000)");
  assert.deepEqual(await readRunningFrames(project.url), []);
});

test("returns no frames of a process at a breakpoint, and leaves it there", async () => {
  using _ = fakeClock();
  using project = await run(`setInterval(() => { debugger; console.log("resumed"); }, 100)`);
  using debuggerOfUser = disposable(await attach(project.url, "Debugger.paused"));
  let output = "";
  project.child.stdout?.on("data", (data) => (output += String(data)));
  assert.deepEqual(await readRunningFrames(project.url), []);
  assert.equal(output, "");
  const resumed = nextMessage(debuggerOfUser.socket, "Debugger.resumed");
  debuggerOfUser.socket.send(JSON.stringify({ id: 2, method: "Debugger.resume" }));
  await resumed;
});

const disposable = (socket: WebSocket): Disposable & { readonly socket: WebSocket } => ({
  socket,
  [Symbol.dispose]: () => socket.close(),
});
