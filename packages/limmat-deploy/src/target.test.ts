import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleFacts, exampleSettings } from "../../../test/deploy/fixtures.ts";
import type { HostFacts } from "./host-facts.ts";
import type { DeploySettings } from "./settings.ts";
import { chooseManager } from "./target.ts";

const kindFor = (service: DeploySettings["service"], changes: Partial<HostFacts>): string =>
  chooseManager("example.com", { ...exampleSettings, service }, { ...exampleFacts, ...changes }).kind;

test("a host keeps its service manager, and a new host has the first one that it offers", () => {
  assert.equal(kindFor("auto", {}), "systemd-user");
  assert.equal(kindFor("auto", { services: ["systemd"] }), "systemd");
  assert.equal(kindFor("auto", { lastService: "systemd" }), "systemd");
  assert.equal(kindFor("auto", { lastService: "process" }), "process");
  assert.equal(kindFor("systemd", { lastService: "systemd" }), "systemd");
  assert.equal(kindFor("auto", { lastService: "systemd", services: [] }), "systemd");
});

test("another service manager than that of the host is refused, with the command that removes the present one", () => {
  const removals = [
    ["systemd-user", "systemctl --user disable --now shop.service shop-nightly.timer"],
    ["systemd", "sudo systemctl disable --now shop.service shop-nightly.timer"],
    ["process", "/home/ada/shop/bin/stop"],
  ] as const;
  for (const [lastService, removal] of removals) {
    const other = lastService === "process" ? "systemd" : "process";
    assert.throws(() => kindFor(other, { lastService }), {
      code: "E_DEPLOY_REQUIREMENT",
      message: `example.com is not ready for a deployment: its service is "${lastService}", not "${other}". To change it, first run "${removal} && rm /home/ada/shop/run/service" on the host.`,
    });
  }
});

test("refuses a service manager that the host lacks, and root", () => {
  const code = "E_DEPLOY_REQUIREMENT";
  assert.throws(() => kindFor("auto", { services: [] }), { code, message: /--service=process/ });
  assert.throws(() => kindFor("systemd", { services: [] }), { code, message: /sudo without a password/ });
  assert.throws(() => kindFor("systemd-user", { services: [] }), { code, message: /systemd of the user/ });
  assert.throws(() => kindFor("auto", { isRoot: true }), { code, message: /--allow-root/ });
});
