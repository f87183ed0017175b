// Deployments of a new project to an sshd on this machine, under load. The steps build on each other.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { packFramework, run } from "../new-project/package.ts";
import { root } from "../sources.ts";
import { type LoadReport, startLoad } from "./load.ts";
import { deployedProject, type DeployedProject } from "./project.ts";
import { sshdSkip } from "./sshd.ts";

// A deployment under load takes 15 s, and a minute on a busy machine. Some tests have two.
const options = { skip: sshdSkip, timeout: 400_000 };
let project: DeployedProject;

const cleanup = new AsyncDisposableStack();

before(async () => {
  if (sshdSkip === false) project = cleanup.use(await deployedProject(cleanup.use(packFramework())));
});
after(() => cleanup.disposeAsync());

const currentRelease = (): string => basename(readlinkSync(join(project.folder, "current")));

/** Names of the steps that were printed, without the name of the host and details. */
const printedSteps = (stderr: string): readonly string[] =>
  [...stderr.matchAll(/✓ +[\d.]+ s {2}(.+?)(?: \(.*\))?$/gm)].map(([, label = ""]) => label.replace("loopback", "…"));

/** Names of the steps in the guide. Browser code is bundled in projects that have some. */
const documentedSteps = (): readonly string[] => {
  const guide = readFileSync(join(root, "docs/guide/deploy.md"), "utf8");
  const [, table = ""] = /^\| Step .*\n((?:\|.*\n)+)/m.exec(guide) ?? [];
  const labels = [...table.matchAll(/^\| `(.+?)`/gm)].map(([, label = ""]) => label);
  return labels.filter((label) => label !== "bundle the browser code");
};

const releases = (): readonly string[] => readdirSync(join(project.folder, "releases")).toSorted();

/** Runs a task while requests are sent, and fails if one of them is lost. */
async function underLoad(task: () => Promise<unknown>): Promise<LoadReport> {
  const load = startLoad(project.port, "/", 8);
  await task().catch(async (error: unknown) => {
    await load.stop();
    throw error;
  });
  const report = await load.stop();
  assert.deepEqual(report.lost, []);
  assert.ok(report.answered > 50, `${report.answered} requests`);
  return report;
}

test("a dry run prints the plan and changes nothing", options, async () => {
  project.commit({ text: "v1" });
  const { stdout } = await project.deployOrThrow("--dry-run");
  assert.match(stdout, /service {4}process, shop, 2 workers/);
  assert.match(stdout, /switch {5}nothing -> \d{8}T\d{6}Z-[0-9a-f]{10}$/m);
  assert.ok(!existsSync(project.folder));
});

test("the first deployment prepares the host and starts the server", options, async () => {
  const envFile = join(dirname(project.folder), "production.env");
  const { stdout, stderr } = await project.deployOrThrow("--env", envFile);
  assert.match(stdout, /^Deployed \S+ to loopback in \d+\.\d s\.$/m);
  assert.match(stderr, /✓ +\d+\.\d s {2}install the packages \(npm on the host\)/);
  assert.match(stderr, /@reboot/);
  assert.deepEqual(
    printedSteps(stderr),
    documentedSteps().filter((step) => step !== "replace the workers"),
  );
  assert.deepEqual(await project.get("/version"), [200, "v1"]);
  const hostEnvFile = join(project.folder, "shared/.env.production.local");
  assert.equal(statSync(hostEnvFile).mode & 0o777, 0o600);
  const text = readFileSync(hostEnvFile, "utf8");
  for (const key of ["PORT", "FRAMEWORK_SECRET", "HOST", "DATABASE_URL", "LOGS_DIR"])
    assert.match(text, new RegExp(`^${key}=.`, "m"));
  const [, secret = ""] = /^FRAMEWORK_SECRET=(.*)$/m.exec(text) ?? [];
  for (const output of [stdout, stderr]) assert.ok(!output.includes(secret));
});

test(
  "the next release takes over without losing a request, with the packages of the first and its migration",
  options,
  async () => {
    const previous = currentRelease();
    const stateBefore = readState();
    project.commit({ text: "v2", migrations: 2 });
    const output = { stderr: "" };
    await underLoad(async () => Object.assign(output, await project.deployOrThrow()));
    assert.match(output.stderr, new RegExp(`install the packages \\(of ${previous}\\)`));
    assert.match(output.stderr, /check the migrations \(1 pending\)/);
    assert.deepEqual(
      printedSteps(output.stderr),
      documentedSteps().filter((step) => step !== "start the server"),
    );
    assert.deepEqual(await project.get("/version"), [200, "v2"]);
    const state = readState();
    assert.equal(state.pid, stateBefore.pid);
    assert.equal(state.program, stateBefore.program);
    const runningProgram = realpathSync(join(project.folder, "current/run/run.ts"));
    for (const worker of state.workers) {
      assert.equal(worker.program, runningProgram);
      assert.ok(!stateBefore.workers.some(({ pid }) => pid === worker.pid));
      // Node itself comes from the new release as well, not from the one that started the supervisor.
      assert.match(readFileSync(`/proc/${worker.pid}/cmdline`, "utf8"), /^\/\S*\/current\/node_modules\/\.bin\/node\0/);
    }
  },
);

interface State {
  readonly pid: number;
  readonly program: string;
  readonly workers: readonly { readonly pid: number; readonly program: string }[];
}

const readState = (): State => JSON.parse(readFileSync(join(project.folder, "run/server.json"), "utf8")) as State;

/** Deploys a release that must fail, under load. Returns what was printed. */
async function deployInVain(): Promise<string> {
  const stateBefore = { current: currentRelease(), releases: releases() };
  let output = "";
  await underLoad(async () => {
    const { code, stderr } = await project.deploy();
    assert.equal(code, 1, stderr);
    output = stderr;
  });
  assert.deepEqual({ current: currentRelease(), releases: releases() }, stateBefore);
  assert.deepEqual(await project.get("/version"), [200, "v2"]);
  return output;
}

test("a release whose health check fails never gets a request", options, async () => {
  project.commit({ text: "unhealthy", isHealthy: "false", migrations: 2 });
  const workers = readState().workers;
  const output = await deployInVain();
  assert.match(output, /E_DEPLOY_HEALTH.*is not healthy: \S+ still runs\.\n {2}\/healthy answered 503\. unhealthy/);
  assert.match(output, /Listening on/);
  assert.deepEqual(readState().workers, workers);
});

test("a release that does not start is reported with the end of its log", options, async () => {
  project.commit({ text: "broken", isHealthy: `(() => { throw new Error("broken on purpose"); })()`, migrations: 2 });
  assert.match(await deployInVain(), /answered 500/);
  project.commit({ text: "broken", migrations: 2 });
  const routes = join(project.root, "routes/routes.ts");
  const text = readFileSync(routes, "utf8");
  writeFileSync(routes, `${text}if (process.argv.includes("server")) throw new Error("no start on purpose");\n`);
  run("git", ["-c", "user.name=Test", "-c", "user.email=test@localhost", "commit", "-qam", "no start"], project.root);
  assert.match(await deployInVain(), /the server ended with exit code 1[^]*no start on purpose/);
  writeFileSync(routes, text);
});

test("a release that fails its health check on the port of the server is rolled back", options, async () => {
  // The rehearsal has a port of its own in the environment.
  project.commit({ text: "v2", isHealthy: "process.env.PORT !== undefined", migrations: 2 });
  const previous = currentRelease();
  const output = await deployInVain();
  assert.match(output, /✗ .*check the health\n/);
  assert.match(output, new RegExp(`is not healthy: ${previous} runs again\\.\n {2}/healthy answered 503`));
  const runningProgram = realpathSync(join(project.folder, "current/run/run.ts"));
  for (const { program } of readState().workers) assert.equal(program, runningProgram);
});

test("a dangerous migration and an incomplete configuration stop a deployment", options, async () => {
  project.commit({ text: "drop", migrations: 2, migration: "alter table notes_0 drop column id" });
  assert.match(await deployInVain(), /E_DEPLOY_STEP.*"check the migrations" failed[^]*drop-column/);
  const hostEnvFile = join(project.folder, "shared/.env.production.local");
  const text = readFileSync(hostEnvFile, "utf8");
  writeFileSync(hostEnvFile, text.replace(/^PORT=.*$/m, "PORT=none"));
  project.commit({ text: "v2", migrations: 2 });
  assert.match(await deployInVain(), /"check the configuration" failed[^]*PORT/);
  writeFileSync(hostEnvFile, text.replace(/^DATABASE_URL=.*$/m, "DATABASE_URL=database/own.sqlite"));
  assert.match(
    await deployInVain(),
    /"check the configuration" failed[^]*own\.sqlite\S* is in the folder of the release/,
  );
  writeFileSync(hostEnvFile, text);
});

test("uncommitted files are refused, and deployed with --dirty", options, async () => {
  const file = join(project.root, "web/handler/version.ts");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace('"v2"', '"v3"'));
  writeFileSync(join(project.root, "a 'hostile' $(name)\n;x.txt"), "content");
  const refused = await project.deploy();
  assert.match(refused.stderr, /E_DEPLOY_GIT.*not committed:.*version\.ts.*--dirty/s);
  await underLoad(() => project.deployOrThrow("--dirty"));
  assert.deepEqual(await project.get("/version"), [200, "v3"]);
  assert.match(currentRelease(), /-dirty$/);
  assert.equal(readFileSync(join(project.folder, "current", "a 'hostile' $(name)\n;x.txt"), "utf8"), "content");
  rmSync(join(project.root, "a 'hostile' $(name)\n;x.txt"));
  writeFileSync(file, text);
});

test("a rollback leads to the release before under load, and another one to a named release", options, async () => {
  const [first = "", , latest = ""] = releases();
  await underLoad(() => project.deployOrThrow("rollback"));
  assert.deepEqual(await project.get("/version"), [200, "v2"]);
  const { stdout } = await project.deployOrThrow("rollback", "--to", first);
  assert.match(stdout, new RegExp(`^${first} answers the requests of loopback again`));
  assert.deepEqual(await project.get("/version"), [200, "v1"]);
  assert.match((await project.deploy("rollback")).stderr, /E_DEPLOY_RELEASE.*no release before/);
  assert.match((await project.deploy("rollback", "--to", "../..")).stderr, /E_DEPLOY_RELEASE.*is not a release/);
  await project.deployOrThrow("rollback", "--to", latest);
  assert.deepEqual(await project.get("/version"), [200, "v3"]);
});

test("old releases are deleted, except that of the supervisor", options, async () => {
  const first = basename(dirname(dirname(readState().program)));
  for (const text of ["v4", "v5"]) {
    project.commit({ text, migrations: 2 });
    await project.deployOrThrow();
  }
  assert.equal(releases().length, 4);
  assert.ok(releases().includes(first));
});

test("two deployments do not collide", options, async () => {
  project.commit({ text: "v6", migrations: 2 });
  const results = await Promise.all([project.deploy(), project.deploy()]);
  assert.deepEqual(new Set(results.map(({ code }) => code)), new Set([0, 1]));
  assert.match(
    results.map(({ stderr }) => stderr).join(""),
    /E_DEPLOY_LOCKED.*Another deployment runs on loopback \(.+ since /,
  );
  assert.deepEqual(await project.get("/version"), [200, "v6"]);
});

test("status and logs show the host, and restart renews the supervisor", options, async () => {
  const { stdout } = await project.deployOrThrow("status");
  assert.match(stdout, new RegExp(`\\* ${currentRelease()}`));
  assert.match(stdout, /worker \d+: process \d+, \d{8}T/);
  assert.match(stdout, /It is healthy/);
  const logs = await project.deployOrThrow("logs", "--lines", "3");
  assert.equal(logs.stdout.trim().split("\n").length, 3);
  const { pid } = readState();
  await project.deployOrThrow("restart");
  assert.notEqual(readState().pid, pid);
  assert.equal(readState().program, realpathSync(join(project.folder, "current/run/run.ts")));
  assert.deepEqual(await project.get("/version"), [200, "v6"]);
});

test("the nightly program rotates the logs and copies the database while it is used", options, async () => {
  const shared = join(project.folder, "shared");
  // The load generator of this process must go on meanwhile.
  const load = startLoad(project.port, "/", 8);
  const { stderr } = await promisify(execFile)(join(project.folder, "bin/nightly"));
  const { answered, lost } = await load.stop();
  assert.deepEqual({ stderr, lost, isUsed: answered > 0 }, { stderr: "", lost: [], isUsed: true });
  assert.ok(statSync(join(shared, "logs/app.log.1.gz")).size > 0);
  // Until the next entry, the rotated file is the log.
  assert.notEqual((await project.deployOrThrow("logs", "--lines", "2")).stdout, "");
  assert.match((await project.deployOrThrow("logs", "--errors")).stdout, /broken on purpose/);
  const [copy = "", ...others] = readdirSync(join(shared, "backups"));
  assert.deepEqual(others, []);
  using database = new DatabaseSync(join(shared, "backups", copy), { readOnly: true });
  assert.equal(database.prepare("select count(*) as count from notes_1").get()?.["count"], 0);
});

test("a server that was stopped starts with the next deployment", options, async () => {
  process.kill(readState().pid, "SIGKILL");
  const stale = readState();
  project.commit({ text: "v7", migrations: 2 });
  await project.deployOrThrow();
  assert.notEqual(readState().pid, stale.pid);
  assert.deepEqual(await project.get("/version"), [200, "v7"]);
});

test("an unreachable host is reported", options, async () => {
  const { code, stderr } = await project.deploy("status", "127.0.0.1:1");
  assert.equal(code, 1);
  assert.match(stderr, /E_DEPLOY_CONNECTION.*No ssh connection to 127\.0\.0\.1.*Check that "ssh 127\.0\.0\.1" logs in/);
});
