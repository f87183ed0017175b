// What all jobs of a run share: database servers, compiled code and a folder for packages.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mariadb } from "../../test/servers/mariadb.ts";
import { postgresql } from "../../test/servers/postgresql.ts";
import { redis } from "../../test/servers/redis.ts";
import { findServer, type ServerKind } from "../../test/servers/server.ts";
import { type ProcessGuard, startProcessGuard } from "./process-guard.ts";
import { root } from "./test-files.ts";

/** Environment of the jobs of a run. */
export interface TestEnvironment extends AsyncDisposable {
  readonly env: NodeJS.ProcessEnv;
  /** Names of the servers that were found or started, and of those that are missing. */
  readonly servers: readonly string[];
  readonly missingServers: readonly string[];
  readonly guard: ProcessGuard;
  /** Folder of what several files need and the first one makes: `test/make-once.ts`. */
  readonly folder: string;
}

/** Finds or starts each database server once, instead of once for each file. */
export async function createTestEnvironment(): Promise<TestEnvironment> {
  const folder = mkdtempSync(join(tmpdir(), "limmat-test-run-"));
  const guard = startProcessGuard(folder);
  // Marks the servers that are started here, for the guard.
  process.env["LIMMAT_TEST_RUN"] = folder;
  const kinds: readonly ServerKind[] = [postgresql, mariadb, redis];
  const found = await Promise.all(kinds.map(async (kind) => ({ kind, server: await findServer(kind) })));
  const { NODE_TEST_CONTEXT: _, LIMMAT_TEST_UNSTABLE: __, ...env } = process.env;
  return {
    env: {
      ...env,
      ...Object.fromEntries(found.map(({ kind, server }) => [kind.urlVariable, server?.url])),
      // Saves each process from compiling the framework again.
      NODE_COMPILE_CACHE: join(root, "node_modules/.cache/limmat-test/compiled"),
    },
    servers: found.filter(({ server }) => server !== undefined).map(({ kind }) => kind.name),
    missingServers: found.filter(({ server }) => server === undefined).map(({ kind }) => kind.name),
    guard,
    folder,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(found.map(async ({ server }) => server?.stop()));
      await guard.end();
    },
  };
}
