// Shared by watch.long.test.ts and watch.nightly.test.ts. It contains no tests.
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { BrowserEvent } from "./browser-client.ts";
import { isReload, startSession } from "./development-session.test.ts";

const numbers = Array.from({ length: 25 }, (_, index) => index);
const run = (version: string): string => `
import { createServer } from "node:http";
${numbers.map((number) => `import { part as part${number} } from "../app/part${number}.ts";`).join("\n")}
const page = [${numbers.map((number) => `part${number}`).join(", ")}].join() + "${version}";
createServer((_, response) => response.end(page)).listen(Number(process.env.PORT), "127.0.0.1");
`;
const parts = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(numbers.map((number) => [`app/part${number}.ts`, `export const part = "${text}";`]));

/** Writes many files with a pause between them, and checks that the development server reloads once. */
export async function reloadsOnce(pauseMs: number): Promise<void> {
  await using project = await startSession({ ...parts("a"), "run/run.ts": run("1") });
  for (const [path, text] of Object.entries(parts("b"))) {
    // The pace of the other program, not a wait for a result.
    if (pauseMs > 0) await wait(pauseMs);
    project.write(path, text);
  }
  await project.nextEvent(isReload);
  assert.equal((await project.get()).body, `${numbers.map(() => "b").join()}1`, `${pauseMs} ms`);
  // A second reload of the burst would come before the one of this change.
  project.write("run/run.ts", run("2"));
  const event: BrowserEvent = await project.nextEvent(isReload);
  assert.deepEqual(event, { kind: "reload" });
  assert.equal((await project.get()).body, `${numbers.map(() => "b").join()}2`, `${pauseMs} ms`);
}
