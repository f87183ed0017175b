import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { exampleFacts, exampleSettings } from "../../../test/deploy/fixtures.ts";
import { installPackages } from "./install-release.ts";
import { Progress } from "./progress.ts";
import { scriptReader } from "./shell.ts";
import type { PackedSource } from "./source.ts";
import { shellRemote, startShell } from "./ssh.ts";
import { chooseManager, type DeployTarget } from "./target.ts";

const current = "20260101T000000Z-a";
const next = "20260102T000000Z-b";

/** Installs the packages of a release, linked to those of a current release with the given Node. Returns the Node. */
async function installWithNode(t: TestContext, node: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "limmat-install-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const release of [current, next]) {
    mkdirSync(join(folder, "releases", release), { recursive: true });
    writeFileSync(join(folder, "releases", release, "package-lock.json"), "{}\n");
  }
  const programs = join(folder, "releases", current, "node_modules/.bin");
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, "node"), node);
  chmodSync(join(programs, "node"), 0o755);
  const { signal } = new AbortController();
  const remote = shellRemote("host", {
    start: (end) => startShell("sh", ["-c", scriptReader], end),
    signal,
    close: async () => {},
  });
  const facts = { ...exampleFacts, folder, current };
  const target: DeployTarget = {
    remote,
    settings: exampleSettings,
    facts,
    application: { hasMigrations: false, sqliteKeys: {}, backupCommands: [], storesFiles: false },
    manager: chooseManager("host", exampleSettings, facts),
    progress: new Progress({ print: () => {}, note: () => {}, isTerminal: false }),
    signal,
  };
  const source: PackedSource = { folder, commit: "b", [Symbol.asyncDispose]: async () => {} };
  await installPackages(target, source, next);
  return readFileSync(join(folder, "releases", next, "node_modules/.bin/node"), "utf8");
}

test("a release with the lock file of the current one gets its packages", async (t) => {
  const node = `#!/bin/sh\nexec '${process.execPath}' "$@"\n`;
  assert.equal(await installWithNode(t, node), node);
});

test("a Node that does not start is reported with the missing library and the commands that install it", async (t) => {
  const problem = "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file";
  await assert.rejects(installWithNode(t, `#!/bin/sh\necho '${problem}' >&2\nexit 127\n`), {
    code: "E_DEPLOY_STEP",
    message: new RegExp(`"find Node" failed.*\\n  ${problem}\\n  Install it on the host: apt-get install libatomic1, `),
  });
  await assert.rejects(installWithNode(t, "#!/bin/sh\necho 'Illegal instruction' >&2\nexit 132\n"), {
    code: "E_DEPLOY_STEP",
    message: /"find Node" failed.*\n {2}Illegal instruction$/,
  });
});
