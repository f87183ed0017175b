// Runs in the process of a contestant: starts one of its applications and answers the harness.
import cluster from "node:cluster";
import { connect, createServer } from "node:net";

/**
 * Starts the application named on the command line and sends its port to the harness.
 * @param {Readonly<Record<string, () => number | Promise<number>>>} applications functions that listen on a free loopback port
 *   and return it
 */
export async function contestant(applications) {
  const start = applications[process.argv[2] ?? ""];
  if (start === undefined) throw new Error(`Unknown application ${process.argv[2]}`);
  process.on("message", async (question) => {
    if (question === "usage") process.send?.({ bench: usage() });
    else if (question === "profile" || question === "profile end")
      process.send?.({ bench: await steerProfiler(question) });
  });
  process.on("disconnect", () => process.exit());
  const port = await start();
  // A worker process belongs to its primary process, not to the harness.
  if (!cluster.isWorker) process.send?.({ bench: { port } });
}

function usage() {
  const { user, system } = process.cpuUsage();
  return { cpu: user + system, rss: process.memoryUsage.rss() };
}

/** @type {import("node:inspector/promises").Session | undefined} */
let session;

/** Starts the profiler of V8, or stops it and returns the profile. */
async function steerProfiler(question) {
  if (question === "profile") {
    const { Session } = await import("node:inspector/promises");
    session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 200 });
    await session.post("Profiler.start");
    return {};
  }
  if (session === undefined) throw new Error("The profiler was not started");
  const { profile } = await session.post("Profiler.stop");
  return profile;
}

/**
 * Listens on a free loopback port.
 * @param {import("node:net").Server} server
 * @returns {Promise<number>}
 */
export function listen(server) {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/**
 * Returns a free loopback port, for servers that must know theirs before they listen.
 * @returns {Promise<string>}
 */
export async function freePort() {
  if (process.env["PORT"] !== undefined && process.env["PORT"] !== "0") return process.env["PORT"];
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

/**
 * Waits until a server accepts connections.
 * @param {number} port
 */
export async function answers(port) {
  const tryOnce = () =>
    new Promise((resolve) => {
      const socket = connect({ port, host: "127.0.0.1" });
      socket.on("connect", () => resolve(true));
      socket.on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
  while (!(await tryOnce())) await new Promise((resolve) => setTimeout(resolve, 20));
}
