// Deployments of a new project to an sshd on this machine. The steps build on each other.
import assert from "node:assert/strict";
import { existsSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { waitFor } from "limmat/testing";
import { packFramework } from "../new-project/package.ts";
import { root } from "../sources.ts";
import { deployedProject, type DeployedProject } from "./project.ts";
import { sshdSkip } from "./sshd.ts";

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

let project: DeployedProject;

/** Defines the tests. Under load, requests are sent during each deployment, of which none may be lost. */
export function testDeployments({ isUnderLoad }: { readonly isUnderLoad: boolean }): void {
  const cleanup = new AsyncDisposableStack();
  before(async () => {
    if (sshdSkip === false) project = cleanup.use(await deployedProject(cleanup.use(packFramework()), { isUnderLoad }));
  });
  after(() => cleanup.disposeAsync());

  test("a dry run prints the plan and changes nothing", { skip: sshdSkip }, async () => {
    project.commit({ text: "v1" });
    const { stdout } = await project.deployOrThrow("--dry-run");
    assert.match(stdout, /service {4}process, shop, 2 workers/);
    assert.match(stdout, /switch {5}nothing -> \d{8}T\d{6}Z-[0-9a-f]{10}$/m);
    assert.ok(!existsSync(project.folder));
  });

  test("the first deployment prepares the host and starts the server", { skip: sshdSkip }, async () => {
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
    for (const key of ["PORT", "FRAMEWORK_SECRET", "HOST", "DATABASE_URL", "LOGS_DIR", "MAINTENANCE_FILE"])
      assert.match(text, new RegExp(`^${key}=.`, "m"));
    const [, secret = ""] = /^FRAMEWORK_SECRET=(.*)$/m.exec(text) ?? [];
    for (const output of [stdout, stderr]) assert.ok(!output.includes(secret));
  });

  test(
    "the next release takes over, with the packages of the first and its migration",
    { skip: sshdSkip },
    async () => {
      const previous = project.currentRelease();
      const stateBefore = project.readState();
      project.commit({ text: "v2", migrations: 2 });
      const output = { stderr: "" };
      await project.withRequests(async () => Object.assign(output, await project.deployOrThrow()));
      assert.match(output.stderr, new RegExp(`install the packages \\(of ${previous}\\)`));
      assert.match(output.stderr, /check the migrations \(1 pending\)/);
      assert.deepEqual(
        printedSteps(output.stderr),
        documentedSteps().filter((step) => step !== "start the server"),
      );
      assert.deepEqual(await project.get("/version"), [200, "v2"]);
      const state = project.readState();
      assert.equal(state.pid, stateBefore.pid);
      assert.equal(state.program, stateBefore.program);
      const runningProgram = realpathSync(join(project.folder, "current/run/run.ts"));
      for (const worker of state.workers) {
        assert.equal(worker.program, runningProgram);
        assert.ok(!stateBefore.workers.some(({ pid }) => pid === worker.pid));
        // Node itself comes from the new release as well, not from the one that started the supervisor.
        assert.match(
          readFileSync(`/proc/${worker.pid}/cmdline`, "utf8"),
          /^\/\S*\/current\/node_modules\/\.bin\/node\0/,
        );
      }
    },
  );

  test("uncommitted files are refused, and deployed with --dirty", { skip: sshdSkip }, async () => {
    const file = join(project.root, "web/handler/version.ts");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace('"v2"', '"v3"'));
    writeFileSync(join(project.root, "a 'hostile' $(name)\n;x.txt"), "content");
    const refused = await project.deploy();
    assert.match(refused.stderr, /E_DEPLOY_GIT.*not committed:.*version\.ts.*--dirty/s);
    await project.withRequests(() => project.deployOrThrow("--dirty"));
    assert.deepEqual(await project.get("/version"), [200, "v3"]);
    assert.match(project.currentRelease(), /-dirty$/);
    assert.equal(readFileSync(join(project.folder, "current", "a 'hostile' $(name)\n;x.txt"), "utf8"), "content");
    rmSync(join(project.root, "a 'hostile' $(name)\n;x.txt"));
    writeFileSync(file, text);
  });

  test("a rollback leads to the release before, and another one to a named release", { skip: sshdSkip }, async () => {
    const [first = "", , latest = ""] = project.releases();
    await project.withRequests(() => project.deployOrThrow("rollback"));
    assert.deepEqual(await project.get("/version"), [200, "v2"]);
    const { stdout } = await project.deployOrThrow("rollback", "--to", first);
    assert.match(stdout, new RegExp(`^${first} answers the requests of loopback again`));
    assert.deepEqual(await project.get("/version"), [200, "v1"]);
    assert.match((await project.deploy("rollback")).stderr, /E_DEPLOY_RELEASE.*no release before/);
    assert.match((await project.deploy("rollback", "--to", "../..")).stderr, /E_DEPLOY_RELEASE.*is not a release/);
    await project.deployOrThrow("rollback", "--to", latest);
    assert.deepEqual(await project.get("/version"), [200, "v3"]);
  });

  test("old releases are deleted, except that of the supervisor", { skip: sshdSkip }, async () => {
    const first = basename(dirname(dirname(project.readState().program)));
    for (const text of ["v4", "v5"]) {
      project.commit({ text, migrations: 2 });
      await project.deployOrThrow();
    }
    assert.equal(project.releases().length, 4);
    assert.ok(project.releases().includes(first));
  });

  test("a deployment is refused while another one runs", { skip: sshdSkip }, async (t) => {
    const gate = join(dirname(project.folder), "gate");
    project.commit({ text: "v6", migrations: 2, gate });
    const running = project.deploy();
    try {
      await waitFor(() => existsSync(`${gate}-reached`), { signal: t.signal, timeoutMs: 300_000 });
      const refused = await project.deploy();
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /E_DEPLOY_LOCKED.*Another deployment runs on loopback \(.+ since /);
    } finally {
      writeFileSync(gate, "");
      assert.equal((await running).code, 0);
    }
    assert.deepEqual(await project.get("/version"), [200, "v6"]);
  });

  // On a slow machine one of them ends before the other one begins.
  if (isUnderLoad)
    test("two deployments that start at the same time do not collide", { skip: sshdSkip }, async () => {
      project.commit({ text: "v7", migrations: 2 });
      const results = await Promise.all([project.deploy(), project.deploy()]);
      assert.deepEqual(new Set(results.map(({ code }) => code)), new Set([0, 1]));
      assert.match(
        results.map(({ stderr }) => stderr).join(""),
        /E_DEPLOY_LOCKED.*Another deployment runs on loopback \(.+ since /,
      );
      assert.deepEqual(await project.get("/version"), [200, "v7"]);
    });

  test("status and logs show the host, and restart renews the supervisor", { skip: sshdSkip }, async () => {
    const [, version] = await project.get("/version");
    const { stdout } = await project.deployOrThrow("status");
    assert.match(stdout, new RegExp(`\\* ${project.currentRelease()}`));
    assert.match(stdout, /worker \d+: process \d+, \d{8}T/);
    assert.match(stdout, /It is healthy/);
    const logs = await project.deployOrThrow("logs", "--lines", "3");
    assert.equal(logs.stdout.trim().split("\n").length, 3);
    const { pid } = project.readState();
    await project.deployOrThrow("restart");
    assert.notEqual(project.readState().pid, pid);
    assert.equal(project.readState().program, realpathSync(join(project.folder, "current/run/run.ts")));
    assert.deepEqual(await project.get("/version"), [200, version]);
  });

  test("a server that was stopped starts with the next deployment", { skip: sshdSkip }, async () => {
    process.kill(project.readState().pid, "SIGKILL");
    const stale = project.readState();
    project.commit({ text: "v8", migrations: 2 });
    await project.deployOrThrow();
    assert.notEqual(project.readState().pid, stale.pid);
    assert.deepEqual(await project.get("/version"), [200, "v8"]);
  });

  test("an unreachable host is reported", { skip: sshdSkip }, async () => {
    const { code, stderr } = await project.deploy("status", "127.0.0.1:1");
    assert.equal(code, 1);
    assert.match(
      stderr,
      /E_DEPLOY_CONNECTION.*No ssh connection to 127\.0\.0\.1.*Check that "ssh 127\.0\.0\.1" logs in/,
    );
  });
}
