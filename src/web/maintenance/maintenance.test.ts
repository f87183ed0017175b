import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { Configuration } from "../../config/index.ts";
import { captureOutput, fakeClock } from "../../testing/index.ts";
import { Time } from "../../time/index.ts";
import { Browser, isolate } from "../application/fetch.test.ts";
import { service } from "../application/service.ts";
import { Response } from "../../http/message/response.ts";
import { choose, get } from "../../http/router/route.ts";
import * as Health from "../health/health.ts";

isolate();

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "limmat-maintenance-"));
  Configuration.store([["MAINTENANCE_FILE", join(folder, "tmp/maintenance.json")]]);
});
afterEach(() => rmSync(folder, { recursive: true }));

const site = () => service({ router: choose([get("/", () => Response.text("shop")), Health.router()]) });

/** Runs the command `maintenance`. Returns its lines; `undefined` for wrong arguments. */
async function run(...args: readonly string[]): Promise<readonly string[] | undefined> {
  const output = captureOutput();
  const command = site().commands.find(({ name }) => name === "maintenance");
  return (await command?.run(args, { output } as never)) === undefined ? undefined : output.stdoutLines;
}

const browserOf = ({ fetch }: ReturnType<typeof site>): Browser =>
  new Browser((path, init) => fetch(new globalThis.Request(new URL(path, "http://localhost"), init)));

describe("the maintenance of the site", () => {
  test("answers 503 with its message and Retry-After, except health checks, within a second", async () => {
    using clock = fakeClock();
    const browser = browserOf(site());
    assert.equal((await browser.get("/")).status, 200);
    await run("on", "--message", "We move <boxes>.", "--retry-after", "600");
    assert.equal((await browser.get("/")).status, 200);
    await clock.advance(1000);
    const page = await browser.get("/");
    assert.deepEqual([page.status, page.headers.get("retry-after")], [503, "600"]);
    assert.match(await page.text(), /We move &lt;boxes&gt;\./);
    const problem = await browser.get("/nowhere", { accept: "application/json" });
    assert.equal(((await problem.json()) as { readonly detail: string }).detail, "We move <boxes>.");
    assert.ok(problem.headers.get("content-security-policy"));
    for (const path of ["/health/live", "/health/ready"]) assert.equal((await browser.get(path)).status, 200);
    await run("off");
    await clock.advance(1000);
    assert.equal((await browser.get("/")).status, 200);
  });

  test("does not begin when the process has no free file descriptor", () => {
    const program = `
      import { openSync } from "node:fs";
      import { readMaintenance } from "${import.meta.resolve("./state.ts")}";
      readMaintenance();
      try { for (;;) openSync("/dev/null"); } catch (error) { console.log(error.code, readMaintenance()); }`;
    const limited = 'ulimit -n 100 && exec "$0" --conditions=@limmat/source --input-type=module -e "$1"';
    const text = execFileSync("sh", ["-c", limited, process.execPath, program], { cwd: folder, encoding: "utf8" });
    assert.equal(text.trim(), "EMFILE undefined");
  });

  test("lets in who opens the secret link, until it ends", async () => {
    using clock = fakeClock();
    const http = site();
    const browser = browserOf(http);
    const link = async (): Promise<string> => /\/[\w-]{22}$/.exec((await run("on"))?.[0] ?? "")?.[0] ?? "";
    const path = await link();
    const guess = await browser.get(`${path.slice(0, -1)}_`);
    assert.deepEqual([guess.status, guess.headers.get("set-cookie")], [503, null]);
    assert.equal((await browser.send(path, { method: "POST" })).status, 503);
    const opened = await browser.get(path);
    assert.deepEqual([opened.status, opened.headers.get("location")], [303, "/"]);
    assert.match(opened.headers.get("set-cookie") ?? "", /^_maintenance=.*HttpOnly/i);
    assert.equal(await (await browser.get("/")).text(), "shop");
    assert.equal((await browserOf(http).get("/")).status, 503);
    const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
    const withCopy = async (): Promise<number> => (await browserOf(http).get("/", { cookie })).status;
    assert.equal(await withCopy(), 200);
    await clock.advance(Time.hours(13));
    assert.equal(await withCopy(), 503);
    await link();
    await clock.advance(1000);
    assert.equal((await browser.get("/")).status, 503);
  });

  test("begins with any file, and shows its state", async () => {
    assert.deepEqual(await run(), ["Maintenance is off"]);
    await run("on");
    writeFileSync(join(folder, "tmp/maintenance.json"), "");
    assert.deepEqual(await run(), ["Maintenance is on"]);
    for (const text of ["", "{", "null", '{"retryAfterSeconds":"x","secretHash":7,"message":{}}']) {
      writeFileSync(join(folder, "tmp/maintenance.json"), text);
      const page = await browserOf(site()).get("/");
      assert.deepEqual([page.status, page.headers.get("retry-after")], [503, "60"], text);
    }
    assert.deepEqual(await run("off"), ["Maintenance is off"]);
    assert.equal((await browserOf(site()).get("/")).status, 200);
  });

  test("refuses other arguments", async () => {
    for (const args of [["up"], ["on", "now"], ["off", "--message", "a"], ["on", "--retry-after", "soon"]]) {
      assert.equal(await run(...args), undefined, args.join(" "));
    }
    assert.deepEqual(await run(), ["Maintenance is off"]);
  });
});
