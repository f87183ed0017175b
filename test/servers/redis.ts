import { mkdtempSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { daemon, eventually, freePort, program } from "./process.ts";
import { patience, type ServerKind, type TestServer } from "./server.ts";

/** Redis. Its databases are few: tests take keys of their own. */
export const redis: ServerKind = {
  name: "Redis",
  key: "TEST_REDIS_URL",
  standard: "redis://127.0.0.1:6379",
  answers,
  start: () => startRedis(),
  create: async (url) => ({ url, drop: async () => {} }),
};

/** A server that tests may kill and start again. */
export interface RestartableServer extends TestServer {
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

/** Starts a server of its own on a free port; `undefined` when Redis is not installed. */
export async function startRedis(): Promise<RestartableServer | undefined> {
  const path = program("redis-server") ?? program("valkey-server");
  if (path === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "limmat-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"];
  const launch = async (): Promise<ReturnType<typeof daemon>> => {
    const started = daemon(path, args, undefined);
    if (!(await eventually(() => answers(url)))) throw new Error("Redis did not start");
    return started;
  };
  let running = await launch();
  return {
    url,
    kill: () => running.end("SIGKILL"),
    restart: async () => {
      if (running.isRunning()) await running.end("SIGKILL");
      running = await launch();
    },
    stop: async () => {
      if (running.isRunning()) await running.end("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function answers(url: string): Promise<boolean> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = createConnection({ host, port: Number(port || 6379), timeout: patience });
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on("connect", () => socket.write("PING\r\n"));
    // A server that wants a password is one, too.
    socket.on("data", (data) => end(/^[+-]/.test(data.toString())));
    for (const event of ["error", "timeout", "close"]) socket.on(event, () => end(false));
  });
}
