import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { scriptInput, scriptReader } from "./shell.ts";
import { renderUnits, systemd } from "./systemd.ts";

const hasAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0;

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "limmat-units-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

for (const scope of ["user", "system"] as const) {
  const skip = hasAnalyze ? false : "systemd-analyze is not installed";
  test(`systemd accepts the units of the ${scope}`, { skip }, (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, "bin"));
    for (const name of ["app", "nightly"]) {
      writeFileSync(join(folder, "bin", name), "#!/bin/sh\n");
      chmodSync(join(folder, "bin", name), 0o755);
    }
    const units = renderUnits({ name: "shop", folder, user: userInfo().username, workers: "auto" }, scope);
    const paths = Object.entries(units).map(([name, text]) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...paths], { encoding: "utf8" });
    const ownLines = stderr.split("\n").filter((line) => line.includes("shop"));
    assert.deepEqual([status, ownLines], [0, []], stderr);
    for (const path of paths) assert.doesNotMatch(readFileSync(path, "utf8"), /\{\{|\n\n\n/);
  });
}

test("units are written once, reload systemd when they change, and start with the host", (t) => {
  const folder = temporaryFolder(t);
  const tools = join(folder, "tools");
  mkdirSync(tools);
  const calls = join(folder, "calls");
  for (const program of ["systemctl", "loginctl"]) {
    const answer = `if [ "$1" = show-user ]; then echo no; fi`;
    writeFileSync(join(tools, program), `#!/bin/sh\necho ${program} "$@" >>${calls}\n${answer}\n`);
    chmodSync(join(tools, program), 0o755);
  }
  const manager = systemd({ name: "shop", folder: "/srv/shop", user: "ada", workers: "2" }, "user");
  const install = (): string =>
    execFileSync("sh", ["-c", scriptReader], {
      input: scriptInput(manager.install()),
      env: { PATH: `${tools}:${process.env["PATH"]}`, HOME: folder },
      encoding: "utf8",
    });
  assert.equal(install(), "changed\n");
  const unit = readFileSync(join(folder, ".config/systemd/user/shop.service"), "utf8");
  assert.match(
    unit,
    /^ExecStart=\/srv\/shop\/bin\/app server --workers 2 --state-file \/srv\/shop\/run\/server\.json$/m,
  );
  assert.match(unit, /^WantedBy=default\.target$/m);
  assert.doesNotMatch(unit, /^User=/m);
  assert.deepEqual(readFileSync(calls, "utf8").trim().split("\n"), [
    "systemctl --user daemon-reload",
    "systemctl --user enable --quiet shop.service shop-nightly.timer",
    "systemctl --user start shop-nightly.timer",
    "loginctl show-user ada -p Linger --value",
    "loginctl enable-linger ada",
  ]);
  assert.equal(install(), "");
  assert.equal(readFileSync(calls, "utf8").match(/daemon-reload/g)?.length, 1);
});
