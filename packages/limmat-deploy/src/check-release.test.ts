import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { exampleFacts, exampleSettings } from "../../../test/deploy/fixtures.ts";
import { checkRelease } from "./check-release.ts";
import { Progress } from "./progress.ts";
import { scriptReader } from "./shell.ts";
import { shellRemote, startShell } from "./ssh.ts";
import { chooseManager, lockHost, type DeployTarget } from "./target.ts";

const release = "20260101T000000Z-a";

function targetOf(folder: string): DeployTarget {
  const { signal } = new AbortController();
  const facts = { ...exampleFacts, folder };
  return {
    remote: shellRemote("host", {
      start: (end) => startShell("sh", ["-c", scriptReader], end),
      signal,
      close: async () => {},
    }),
    settings: exampleSettings,
    facts,
    application: { hasMigrations: true, sqliteKeys: {}, backupCommands: [], storesFiles: false },
    manager: chooseManager("host", exampleSettings, facts),
    progress: new Progress({ print: () => {}, note: () => {}, isTerminal: false }),
    signal,
  };
}

function emptyFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "limmat-check-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Finding {
  readonly subject: string;
  readonly message: string;
  readonly code?: string;
}

/** Checks a release whose `doctor` finds these problems until the database is migrated. Returns the commands that ran. */
async function commandsOf(
  t: TestContext,
  findings: readonly Finding[],
  pending: readonly string[],
): Promise<readonly string[]> {
  const folder = emptyFolder(t);
  const programs = join(folder, "releases", release, "node_modules/.bin");
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(folder, "findings"), JSON.stringify({ findings }));
  writeFileSync(join(folder, "plan"), JSON.stringify({ pending }));
  const node = `#!/bin/sh
shift
echo "$*" >>'${folder}/commands'
case "$*" in
  "migrate --dry-run"*) cat '${folder}/plan' ;;
  migrate) : >'${folder}/migrated' ;;
  doctor*) if [ -e '${folder}/migrated' ]; then echo '{"findings":[]}'; else cat '${folder}/findings'; exit 1; fi ;;
esac
`;
  writeFileSync(join(programs, "node"), node);
  chmodSync(join(programs, "node"), 0o755);
  const run = (): readonly string[] =>
    readFileSync(join(folder, "commands"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(" -")[0] ?? "");
  try {
    await checkRelease(targetOf(folder), release);
  } catch (error) {
    assert.ok(!run().includes("migrate") || run().at(-1) !== "migrate", "the database was migrated");
    throw error;
  }
  return run();
}

const missing = [
  { subject: "migration", level: "problem", message: "The database lacks a step", code: "E_MIGRATION_PENDING" },
  { subject: "queue", level: "problem", message: "no such table", code: "E_DATABASE_NO_TABLE" },
];

test("a release is migrated after doctor has found nothing but what the migrations solve", async (t) => {
  const all = ["config", "migrate", "doctor", "migrate", "doctor"];
  assert.deepEqual(await commandsOf(t, missing, ["notes 1"]), all);
});

test("a database is not migrated if doctor finds a problem that no migration solves", async (t) => {
  const away = { subject: "email", level: "problem", message: "The mail server is away", code: "E_EMAIL_SMTP" };
  const isRefusal = { code: "E_DEPLOY_STEP", message: /"doctor" failed[^]*email: The mail server is away$/ };
  await assert.rejects(commandsOf(t, [...missing, away], ["notes 1"]), isRefusal);
  await assert.rejects(commandsOf(t, [{ ...away, subject: "email" }], ["notes 1"]), isRefusal);
});

test("doctor runs once if no migration is pending", async (t) => {
  assert.deepEqual(await commandsOf(t, [], []), ["config", "migrate", "migrate", "doctor"]);
});

test("a folder that cannot be made is reported with the reason", async (t) => {
  const file = join(emptyFolder(t), "file");
  writeFileSync(file, "");
  await assert.rejects(lockHost(targetOf(join(file, "shop"))), {
    code: "E_DEPLOY_REQUIREMENT",
    message:
      /the folder \S+\/file\/shop cannot be made or written: mkdir: .*Not a directory\. Make it there for ada, or/,
  });
});
