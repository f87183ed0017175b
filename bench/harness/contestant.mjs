// Runs in the process of a contestant: starts one of its applications and answers the harness.

/**
 * Starts the application named on the command line and sends its port to the harness.
 * @param {Readonly<Record<string, () => number | Promise<number>>>} applications functions that listen on a free loopback port
 *   and return it
 */
export async function contestant(applications) {
  const start = applications[process.argv[2] ?? ""];
  if (start === undefined) throw new Error(`Unknown application ${process.argv[2]}`);
  process.on("message", async (question) => {
    process.send?.({ bench: question === "usage" ? usage() : await steerProfiler(question) });
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ bench: { port: await start() } });
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
  const { profile } = await session.post("Profiler.stop");
  return profile;
}

/**
 * Listens on a free loopback port.
 * @param {import("node:http").Server} server
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
