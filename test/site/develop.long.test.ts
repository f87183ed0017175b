// `npm run docs`, which serves the site while one works on it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { waitFor } from "limmat/testing";
import { freePort } from "../servers/process.ts";
import { site, siteSkip } from "./documentation-site.ts";

test("serves the site on the port of PORT, for this machine only", { skip: siteSkip }, async () => {
  const port = await freePort();
  const server = spawn(process.execPath, [join(site, "develop.ts")], {
    env: { ...process.env, PORT: String(port) },
    stdio: "ignore",
  });
  const exited = once(server, "exit");
  try {
    const isServed = async (): Promise<boolean> => {
      const response = await fetch(`http://127.0.0.1:${port}/guide/uploads.html`).catch(() => undefined);
      return response?.ok === true;
    };
    await waitFor(isServed, { timeoutMs: 300_000 });
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const external = addresses.find(({ family, internal }) => family === "IPv4" && !internal);
    if (external === undefined) return;
    await assert.rejects(once(connect(port, external.address), "connect"), { code: "ECONNREFUSED" });
  } finally {
    server.kill("SIGKILL");
    await exited;
  }
});
