import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { capturedLog } from "limmat/testing";
import { TimeInternals } from "../../time/index.ts";
import { isBun } from "./live.test.ts";
import { openFileLimit, OpenFileGuard } from "./open-files.ts";

const onLinux = { skip: process.platform !== "linux" && "only Linux tells the limit of a process" };

test("the limit of open files is that of the process", onLinux, () => {
  const { userLimits } = process.report.getReport() as {
    readonly userLimits: Record<string, { readonly soft: number }>;
  };
  assert.equal(openFileLimit(), userLimits["open_files"]?.soft);
});

test("a connection that takes one of the last descriptors is a warning, at most once per minute", async (context) => {
  const clock = TimeInternals.fakeClock();
  context.after(TimeInternals.useClock(clock));
  using log = capturedLog();
  const guard = new OpenFileGuard(100);
  for (const descriptor of [undefined, -1, 0, 89]) guard.check(descriptor);
  assert.equal(log.entries.length, 0);
  guard.check(90);
  guard.check(99);
  await clock.advance(59_999);
  guard.check(99);
  assert.equal(log.entries.length, 1);
  const [entry] = log.entries;
  assert.deepEqual([entry?.level, entry?.fields["open"], entry?.fields["limit"]], ["warning", 91, 100]);
  await clock.advance(1);
  guard.check(99);
  assert.equal(log.entries.length, 2);
});

const onNode = { skip: onLinux.skip || (isBun && "Bun does not show the descriptor of a connection") };
test("a server whose descriptors run out says so, and goes on answering", onNode, async (context) => {
  const program = `
    import { createServer, get, Response } from ${JSON.stringify(new URL("../index.ts", import.meta.url).href)};
    const running = await createServer({ router: get("/", () => Response.text("answered")) }).listen();
    console.log("port " + running.address.port);`;
  const flags = ["--conditions=@limmat/source", "--input-type=module-typescript", "-e", program];
  const child = spawn("sh", ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath, ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  context.after(() => child.kill("SIGKILL"));
  let output = "";
  const read = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  const says = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(output)) {
      assert.equal(child.exitCode, null, output);
      await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), once(child, "exit")]);
    }
    return pattern.exec(output)?.[1] ?? "";
  };
  const port = Number(await says(/^port (\d+)$/m));
  const first = connect(port, "127.0.0.1");
  await once(first, "connect");
  const others = Array.from({ length: 80 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  await says(/(File descriptors run out)/);
  first.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [answer] = (await once(first, "data")) as [Buffer];
  assert.match(answer.toString(), /answered$/);
  for (const socket of [first, ...others]) socket.destroy();
});
