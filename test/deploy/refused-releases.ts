// Releases that a deployment refuses or takes back, on an sshd on this machine. The steps build on each other.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { packFramework, run } from "../new-project/package.ts";
import { deployedProject, type DeployedProject, type DeployedProjectOptions } from "./project.ts";
import { sshdSkip } from "./sshd.ts";

let project: DeployedProject;

/** Deploys a release that must fail. Returns what was printed. */
async function deployInVain(): Promise<string> {
  const stateBefore = { current: project.currentRelease(), releases: project.releases() };
  let output = "";
  await project.withRequests(async () => {
    const { code, stderr } = await project.deploy();
    assert.equal(code, 1, stderr);
    output = stderr;
  });
  assert.deepEqual({ current: project.currentRelease(), releases: project.releases() }, stateBefore);
  assert.deepEqual(await project.get("/version"), [200, "v2"]);
  return output;
}

/** Defines the tests. Under load, requests are sent during each deployment, of which none may be lost. */
export function testRefusedReleases(options: DeployedProjectOptions): void {
  const cleanup = new AsyncDisposableStack();
  before(async () => {
    if (sshdSkip !== false) return;
    project = cleanup.use(await deployedProject(cleanup.use(packFramework()), options));
    project.commit({ text: "v2", migrations: 2 });
    await project.deployOrThrow("--env", join(dirname(project.folder), "production.env"));
  });
  after(() => cleanup.disposeAsync());

  test("a release whose health check fails never gets a request", { skip: sshdSkip }, async () => {
    project.commit({ text: "unhealthy", isHealthy: "false", migrations: 2 });
    const workers = project.readState().workers;
    const output = await deployInVain();
    assert.match(output, /E_DEPLOY_HEALTH.*is not healthy: \S+ still runs\.\n {2}\/healthy answered 503\. unhealthy/);
    assert.match(output, /Listening on/);
    assert.deepEqual(project.readState().workers, workers);
  });

  test("a release that does not start is reported with the end of its log", { skip: sshdSkip }, async () => {
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

  test(
    "a release that fails its health check on the port of the server is rolled back",
    { skip: sshdSkip },
    async () => {
      // The rehearsal has a port of its own in the environment.
      project.commit({ text: "v2", isHealthy: "process.env.PORT !== undefined", migrations: 2 });
      const previous = project.currentRelease();
      const output = await deployInVain();
      assert.match(output, /✗ .*check the health\n/);
      assert.match(output, new RegExp(`is not healthy: ${previous} runs again\\.\n {2}/healthy answered 503`));
      const runningProgram = realpathSync(join(project.folder, "current/run/run.ts"));
      for (const { program } of project.readState().workers) assert.equal(program, runningProgram);
    },
  );

  test("a dangerous migration and an incomplete configuration stop a deployment", { skip: sshdSkip }, async () => {
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

  test(
    "the nightly program rotates the logs and copies the database while it is used",
    { skip: sshdSkip },
    async () => {
      const shared = join(project.folder, "shared");
      // The load generator of this process must go on meanwhile.
      await project.withRequests(async () => {
        const { stderr } = await promisify(execFile)(join(project.folder, "bin/nightly"));
        assert.equal(stderr, "");
      }, 1);
      assert.ok(statSync(join(shared, "logs/app.log.1.gz")).size > 0);
      // Until the next entry, the rotated file is the log.
      assert.notEqual((await project.deployOrThrow("logs", "--lines", "2")).stdout, "");
      assert.match((await project.deployOrThrow("logs", "--errors")).stdout, /broken on purpose/);
      const [copy = "", ...others] = readdirSync(join(shared, "backups"));
      assert.deepEqual(others, []);
      using database = new DatabaseSync(join(shared, "backups", copy), { readOnly: true });
      assert.equal(database.prepare("select count(*) as count from notes_1").get()?.["count"], 0);
    },
  );
}
