import { mkdtempSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDaemon, waitUntil, freePort, findProgram } from "./process.ts";
import { serverTimeoutMs, type RestartableServer, type ServerKind } from "./server.ts";

/** Redis server. It has only 16 databases by default, so tests use distinct key prefixes instead. */
export const redis: ServerKind = {
  name: "Redis",
  urlVariable: "TEST_REDIS_URL",
  defaultUrl: "redis://127.0.0.1:6379",
  isReachable: isRedisReachable,
  start: () => startRedis(),
  createDatabase: async (url) => ({ url, drop: async () => {} }),
};

/** Starts a temporary server on a free port. Returns `undefined` if Redis is not installed. */
export async function startRedis(): Promise<RestartableServer | undefined> {
  const path = findProgram("redis-server") ?? findProgram("valkey-server");
  if (path === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "limmat-redis-"));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"];
  const launchServer = async (): Promise<ReturnType<typeof startDaemon>> => {
    const started = startDaemon(path, args, undefined);
    if (!(await waitUntil(() => isRedisReachable(url)))) throw new Error("Redis did not start");
    return started;
  };
  let daemon = await launchServer();
  return {
    url,
    kill: () => daemon.stop("SIGKILL"),
    restart: async () => {
      if (daemon.isRunning()) await daemon.stop("SIGKILL");
      daemon = await launchServer();
    },
    stop: async () => {
      if (daemon.isRunning()) await daemon.stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isRedisReachable(url: string): Promise<boolean> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = createConnection({ host, port: Number(port || 6379), timeout: serverTimeoutMs });
    const finish = (isReachable: boolean): void => {
      socket.destroy();
      resolve(isReachable);
    };
    socket.on("connect", () => socket.write("PING\r\n"));
    // "-NOAUTH" also comes from a running server.
    socket.on("data", (data) => finish(/^[+-]/.test(data.toString())));
    for (const event of ["error", "timeout", "close"]) socket.on(event, () => finish(false));
  });
}
