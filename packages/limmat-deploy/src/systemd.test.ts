import assert from "node:assert/strict";
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { type Script, scriptInput, scriptReader } from "./shell.ts";
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

/** Host with fake programs that record their calls. */
interface FakeHost {
  readonly home: string;
  /** Runs a script, and returns its result. */
  readonly run: (script: Script) => SpawnSyncReturns<string>;
  /** Calls since the last call of this function. */
  readonly takeCalls: () => readonly string[];
}

/** @param bodies Shell scripts of the programs by name. The default programs succeed and print nothing. */
function fakeHost(t: TestContext, bodies: Readonly<Record<string, string>> = {}): FakeHost {
  const home = temporaryFolder(t);
  const tools = join(home, "tools");
  mkdirSync(tools);
  const callsFile = join(home, "calls");
  for (const name of new Set(["systemctl", "journalctl", "loginctl", "sudo", ...Object.keys(bodies)])) {
    writeFileSync(join(tools, name), `#!/bin/sh\necho ${name} "$@" >>${callsFile}\n${bodies[name] ?? ""}\n`);
    chmodSync(join(tools, name), 0o755);
  }
  return {
    home,
    run: (script) =>
      spawnSync("sh", ["-c", scriptReader], {
        input: scriptInput(script),
        env: { PATH: `${tools}:${process.env["PATH"]}`, HOME: home },
        encoding: "utf8",
      }),
    takeCalls: () => {
      const calls = existsSync(callsFile) ? readFileSync(callsFile, "utf8").trim().split("\n") : [];
      rmSync(callsFile, { force: true });
      return calls;
    },
  };
}

const userManager = systemd({ name: "shop", folder: "/srv/shop", user: "ada", workers: "2" }, "user");
// Programs of a host on which the units do not run yet.
const isNew = { systemctl: 'case "$*" in *" is-"*) exit 1 ;; esac' };

test("units are written once, reload systemd when they change, and start with the host", (t) => {
  const host = fakeHost(t, isNew);
  const takeChanges = (): readonly string[] => host.takeCalls().filter((call) => !call.includes(" is-"));
  assert.equal(host.run(userManager.install()).stdout, "changed\n");
  const unit = readFileSync(join(host.home, ".config/systemd/user/shop.service"), "utf8");
  assert.match(
    unit,
    /^ExecStart=\/srv\/shop\/bin\/app server --workers 2 --state-file \/srv\/shop\/run\/server\.json$/m,
  );
  assert.match(unit, /^WantedBy=default\.target$/m);
  assert.doesNotMatch(unit, /^User=/m);
  const lingerCalls = ["loginctl show-user ada -p Linger --value", "loginctl enable-linger ada"];
  const startCalls = [
    "systemctl --user enable --quiet shop.service",
    "systemctl --user enable --quiet shop-nightly.timer",
    "systemctl --user start shop-nightly.timer",
  ];
  assert.deepEqual(takeChanges(), [...lingerCalls, "systemctl --user daemon-reload", ...startCalls]);
  assert.equal(host.run(userManager.install()).stdout, "");
  assert.deepEqual(takeChanges(), [...lingerCalls, ...startCalls]);
});

test("lingering is enabled once, with sudo if polkit refuses it", (t) => {
  const calls = (loginctl: string): readonly string[] => {
    const host = fakeHost(t, { loginctl });
    assert.equal(host.run(userManager.install()).status, 0);
    return host.takeCalls().filter((call) => !call.startsWith("systemctl"));
  };
  const show = "loginctl show-user ada -p Linger --value";
  assert.deepEqual(calls("echo yes"), [show]);
  assert.deepEqual(calls('[ "$1" = show-user ] && echo no'), [
    show,
    "loginctl enable-linger ada",
    "sudo -n loginctl enable-linger ada",
  ]);
});

test("without the right to enable lingering, no unit is written, and the message has the command", (t) => {
  const host = fakeHost(t, { loginctl: "exit 1", sudo: "exit 1" });
  const { status, stderr } = host.run(userManager.install());
  assert.equal(status, 1);
  assert.match(stderr, /would stop at the end of the ssh session.*: sudo loginctl enable-linger ada\n$/);
  assert.deepEqual(
    host.takeCalls().filter((call) => call.startsWith("systemctl")),
    [],
  );
  assert.ok(!existsSync(join(host.home, ".config/systemd/user/shop.service")));
});

test("a failure is explained by the journal of the given period, or else by the status of the unit", (t) => {
  const withJournal = fakeHost(t, { journalctl: "echo entry" });
  assert.equal(withJournal.run(userManager.explain(4100)).stdout, "entry\n");
  assert.deepEqual(withJournal.takeCalls(), ["journalctl --user -u shop --quiet --since=-5s -n 30 --no-pager -o cat"]);
  const withoutJournal = fakeHost(t, { journalctl: "exit 1", systemctl: "echo status" });
  assert.equal(withoutJournal.run(userManager.explain(4100)).stdout, "status\n");
});

test("units of the system are installed with sudo, which a later deployment needs for changes only", (t) => {
  // Instead of /etc/systemd/system, the files are in the home folder.
  const host = fakeHost(t, {
    id: "echo 1000",
    cat: 'case $1 in /etc/systemd/system/*) exec /bin/cat "$HOME/${1##*/}" ;; esac; exec /bin/cat "$@"',
    sudo: 'if [ "$2" = tee ]; then exec tee "$HOME/${3##*/}"; fi',
  });
  const install = (workers: string): string => {
    const manager = systemd({ name: "shop", folder: "/srv/shop", user: "ada", workers }, "system");
    return host.run(manager.install()).stdout;
  };
  const takeSudoCalls = (): readonly string[] => host.takeCalls().filter((call) => call.startsWith("sudo"));
  const written = (unit: string): readonly string[] => [
    `sudo -n tee /etc/systemd/system/${unit}`,
    `sudo -n chmod 644 /etc/systemd/system/${unit}`,
  ];
  const reload = "sudo -n systemctl daemon-reload";
  assert.equal(install("2"), "changed\n");
  const units = ["shop.service", "shop-nightly.service", "shop-nightly.timer"];
  assert.deepEqual(takeSudoCalls(), [...units.flatMap(written), reload]);
  assert.match(readFileSync(join(host.home, "shop.service"), "utf8"), /^User=ada$/m);
  assert.equal(install("2"), "");
  assert.deepEqual(takeSudoCalls(), []);
  assert.equal(install("3"), "changed\n");
  assert.deepEqual(takeSudoCalls(), [...written("shop.service"), reload]);
});

test("the removal command stops the server and the timer, and disables both", (t) => {
  const host = fakeHost(t);
  host.run({ text: userManager.removal });
  assert.deepEqual(host.takeCalls(), ["systemctl --user disable --now shop.service shop-nightly.timer"]);
});
