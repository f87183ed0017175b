// No loop waits by turning the event loop. `waitFor` of limmat/testing waits for a condition.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findBusyLoops } from "./busy-loops.ts";
import { sources } from "./sources.ts";

/** Loops that give way to others between two steps of their own work, or whose steps are turns, each with its reason. */
const allowed: Readonly<Record<string, string>> = {
  "src/core/close-listener.ts for (;;) {": "each turn accepts a connection of the backlog, which is short",
  "src/http/server/tcp-server.ts for (const end = Time.monotonic() + acceptGraceMs; hasAccepted && Time.monotonic() < end;) {":
    "each turn accepts a connection, and the first one without ends the loop",
  "src/migration/batches.ts for (let failures = 0; ;) {": "gives way after each batch of rows",
  "src/time/time.test.ts for (const _ of Array(50).keys()) await Promise.resolve();":
    "a chain of promises, which the fake clock must await",
};

test("no loop waits by turning the event loop", () => {
  const files = ["src", "test", "tools", "examples", "site", "template", "bench", "bin", "create-limmat"]
    .flatMap((folder) => sources(`${folder}/**/*.{ts,tsx,mjs}`))
    .filter(({ path }) => !/(?:^|\/)dist\//.test(path));
  assert.ok(files.length > 1000);
  const found = findBusyLoops(files);
  const unexpected = found.filter(({ path, text }) => !(`${path} ${text}` in allowed));
  assert.deepEqual(
    unexpected.map(({ path, line, text }) => `${path}:${line} ${text}`),
    [],
  );
  assert.deepEqual(found.map(({ path, text }) => `${path} ${text}`).toSorted(), Object.keys(allowed).toSorted());
});

/** Returns the first lines of the loops that are found in a text. */
const linesOf = (text: string): readonly string[] => findBusyLoops([{ path: "a.ts", text }]).map((loop) => loop.text);

const imports = `
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
async function poll(): Promise<void> {
  await pause(5);
}
`;

for (const loop of [
  "while (lines.length === 0) await new Promise((resolve) => setImmediate(resolve));",
  "while (lines.length === 0) await new Promise((resolve) => void setImmediate(resolve));",
  "while (lines.length === 0) await new Promise(setImmediate);",
  "while (lines.length === 0) await new Promise<void>((resolve) => process.nextTick(resolve));",
  "while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve));",
  "while (lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));",
  "while (lines.length === 0) await new Promise((resolve) => { setTimeout(() => resolve(undefined), 5).unref(); });",
  "while (isRunning(id)) await nextTurn();",
  "while (isRunning(id)) { await nextTurn(); }",
  "while (isRunning(id)) await sleep(1);",
  "while (isRunning(id)) await sleep(1, undefined, { ref: false });",
  "while (isRunning(id)) await Promise.resolve();",
  "while (isRunning(id)) await null;",
  "while (isRunning(id)) await settle();",
  "while (isRunning(id)) await pause(1);",
  "while (isRunning(id)) await poll();",
  "while (isRunning(id)) await (isQuick ? nextTurn() : sleep(100));",
  "while ((await count()) > 0) await poll();",
  "while ((await count()) > 0);",
  "do await nextTurn(); while (isRunning(id));",
  "do { await count(); await nextTurn(); } while (isRunning(id));",
  "for (;;) { if (await count()) break; await nextTurn(); }",
  "for (;;) { try { await connect(); break; } catch { await poll(); } }",
  "for (; isRunning(id);) await nextTurn();",
  "for (let turn = 0; turn < 20; turn++) await nextTurn();",
  "for (const _ of Array(20)) await settle();",
  "while (aborted.length === 0) await clock.advance(1000);",
]) {
  test(`the search finds ${loop}`, () => {
    assert.deepEqual(linesOf(`${imports}${loop}`), [loop]);
  });
}

for (const loop of [
  "while (isRunning(id)) await once(child, 'exit');",
  "while (isRunning(id)) await sleep(100);",
  "while (isRunning(id)) await pause(intervalMs);",
  "while (rest !== '') rest = rest.slice(1);",
  "while ((await parts.next()).done !== true);",
  "for (const file of files) { await read(file); await nextTurn(); }",
  "for (let step = 0; step < 20; step++) await clock.advance(1000);",
  "for (let round = 0; round < 3; round++) { await settle(); assert.equal(count, round); }",
  "async function* rows() { for (;;) { yield 1; await nextTurn(); } }",
  "for (;;) { await once(socket, 'data'); socket.on('end', async () => { await nextTurn(); }); }",
]) {
  test(`the search accepts ${loop}`, () => {
    assert.deepEqual(linesOf(`${imports}${loop}`), []);
  });
}

test("the search knows functions of other files, and shows place and first line", () => {
  const found = findBusyLoops([
    {
      path: "test/turns.ts",
      text: "export const turn = (): Promise<void> => new Promise((done) => setImmediate(done));",
    },
    {
      path: "test/http/use.ts",
      text: 'import { turn as next } from "../turns.ts";\n\nwhile (isOpen) {\n  await next();\n}\n',
    },
  ]);
  assert.deepEqual(found, [{ path: "test/http/use.ts", line: 3, text: "while (isOpen) {" }]);
});
