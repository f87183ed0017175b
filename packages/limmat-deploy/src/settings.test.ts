import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readSettings } from "./settings.ts";
import { parseDestination } from "./ssh.ts";

/** Creates a project with a package name and a `deploy.json`. */
function project(t: TestContext, name: string, stored?: unknown): string {
  const root = mkdtempSync(join(tmpdir(), "limmat-settings-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  writeFileSync(join(root, "package.json"), JSON.stringify({ name }));
  if (stored !== undefined)
    writeFileSync(join(root, "deploy.json"), typeof stored === "string" ? stored : JSON.stringify(stored));
  return root;
}

test("the name of the package is the default of name and folder", (t) => {
  const settings = readSettings(project(t, "@acme/Shop.Web"), { hosts: ["example.com"] });
  assert.deepEqual([settings.name, settings.folder], ["shop-web", "shop-web"]);
  assert.equal(settings.keepReleases, 5);
});

test("the command line overrides deploy.json, and a host may be a list", (t) => {
  const root = project(t, "shop", { host: "a.example", workers: 3, health: "/ok" });
  const stored = readSettings(root, {});
  assert.deepEqual([stored.hosts, stored.workers, stored.health], [["a.example"], "3", "/ok"]);
  const given = readSettings(root, { hosts: ["b.example"], workers: "auto", health: undefined });
  assert.deepEqual([given.hosts, given.workers, given.health], [["b.example"], "auto", "/ok"]);
  assert.deepEqual(readSettings(project(t, "shop", { host: ["a", "b"] }), {}).hosts, ["a", "b"]);
});

test("reports a missing host, unknown settings and invalid values", (t) => {
  assert.throws(() => readSettings(project(t, "shop"), {}), { code: "E_DEPLOY_HOST" });
  const invalid: readonly (readonly [unknown, RegExp])[] = [
    ["{", /deploy\.json" is not valid JSON/],
    ["[]", /must contain an object/],
    [{ hosts: "a" }, /"hosts" must be a list of texts/],
    [{ host: 7 }, /"host" must be a list of texts/],
    [{ folders: "a" }, /"folders" does not exist. Settings are host, name, folder/],
    [{ constructor: "a" }, /"constructor" does not exist/],
    [{ workers: 0 }, /"workers" must be a number/],
    [{ service: "docker" }, /"service" must be auto, systemd-user, systemd, process/],
    [{ keepReleases: 1 }, /"keepReleases" must be a whole number from 2 to 100/],
    [{ include: ["../secrets"] }, /"include" must list paths inside the project/],
    [{ include: ["-T/etc/passwd"] }, /"include" must list paths inside the project/],
    [{ sshConfig: "-oProxyCommand=id" }, /"sshConfig" must be the path/],
  ];
  for (const [stored, message] of invalid) {
    assert.throws(() => readSettings(project(t, "shop", stored), { hosts: ["a"] }), {
      code: "E_DEPLOY_SETTING",
      message,
    });
  }
});

test("refuses folders and names that scripts, units and cron tables cannot have", (t) => {
  const root = project(t, "shop");
  for (const folder of [
    "/",
    "/srv",
    "..",
    "a/../b",
    "/srv/a b",
    "/srv/$(id)",
    "/srv/'",
    "/srv/a%n",
    "-rf",
    "~/a",
    "",
    "/srv//a",
  ]) {
    assert.throws(() => readSettings(root, { hosts: ["a"], folder }), { code: "E_DEPLOY_SETTING" }, folder);
  }
  for (const folder of ["shop", "apps/shop.2", "/srv/shop", "/home/ada@work/shop_1"]) {
    assert.equal(readSettings(root, { hosts: ["a"], folder }).folder, folder);
  }
  for (const name of ["", "Shop", "a b", "a;id", "-a", "a.service", "a/b"]) {
    assert.throws(() => readSettings(root, { hosts: ["a"], name }), { code: "E_DEPLOY_SETTING" }, name);
  }
  assert.throws(
    () => readSettings(project(t, "@a/42"), { hosts: ["a"] }),
    /"name" must begin with a-z.*Set it in deploy\.json/,
  );
});

test("parses hosts, and refuses those that ssh would read as an option or a command", () => {
  assert.deepEqual(parseDestination("deploy@example.com:2222"), { host: "deploy@example.com", port: 2222 });
  assert.deepEqual(parseDestination("ssh://ada@[2001:db8::1]:22"), { host: "ada@2001:db8::1", port: 22 });
  assert.deepEqual(parseDestination("web-1"), { host: "web-1", port: undefined });
  for (const text of [
    "-oProxyCommand=id",
    "a@-oProxyCommand=id",
    "-l@a",
    "a b",
    "a;id",
    "$(id)",
    "",
    "a@",
    "a:port",
    "a\nb",
  ]) {
    assert.throws(() => parseDestination(text), { code: "E_DEPLOY_HOST" }, text);
  }
});
