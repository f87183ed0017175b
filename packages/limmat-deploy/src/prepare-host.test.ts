import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleFacts, exampleSettings } from "../../../test/deploy/fixtures.ts";
import { hostDefaults } from "./prepare-host.ts";
import { Progress } from "./progress.ts";
import { shellRemote, startShell } from "./ssh.ts";
import { chooseManager } from "./target.ts";

test("what has to outlast a deployment is configured outside of the releases: logs, files, databases and maintenance", () => {
  const { signal } = new AbortController();
  const paths = hostDefaults({
    remote: shellRemote("host", { start: (end) => startShell("true", [], end), signal, close: async () => {} }),
    settings: exampleSettings,
    facts: exampleFacts,
    application: {
      hasMigrations: true,
      sqliteKeys: { DATABASE_URL: "production.sqlite" },
      backupCommands: [],
      storesFiles: true,
    },
    manager: chooseManager("host", exampleSettings, exampleFacts),
    progress: new Progress({ print: () => {}, note: () => {}, isTerminal: false }),
    signal,
  });
  const { LOGS_DIR, STORAGE_DIR, DATABASE_URL, MAINTENANCE_FILE } = paths;
  assert.deepEqual(
    { LOGS_DIR, STORAGE_DIR, DATABASE_URL, MAINTENANCE_FILE },
    {
      LOGS_DIR: "/home/ada/shop/shared/logs",
      STORAGE_DIR: "/home/ada/shop/shared/storage",
      DATABASE_URL: "sqlite:/home/ada/shop/shared/database/production.sqlite",
      MAINTENANCE_FILE: "/home/ada/shop/shared/maintenance.json",
    },
  );
});
