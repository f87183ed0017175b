import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "../../core/index.ts";
import { configuration, output } from "../../testing/index.ts";
import { refuses } from "../../testing/database/assert-code.ts";
import { sqlite } from "../sqlite/index.ts";
import { service, type SeedService } from "./seed.ts";

const database = sqlite({ url: ":memory:" });

function make(): { readonly made: SeedService; readonly calls: string[] } {
  const calls: string[] = [];
  const seeds = {
    users: () => void calls.push("users"),
    todos: async ({ progress }: { progress: (done: number, total: number) => void }) => {
      progress(1, 2);
      calls.push("todos");
    },
  };
  return { made: service({ database, seeds }), calls };
}

async function run(made: SeedService, ...args: readonly string[]): Promise<readonly string[] | undefined> {
  const captured = output();
  const [command] = made.commands as readonly [Command.Command];
  const { signal } = new AbortController();
  const done = await command.run(args, { services: [], output: captured, signal });
  return done === undefined ? undefined : captured.printed;
}

test("seed runs all seeds in order", async () => {
  const { made, calls } = make();
  assert.deepEqual(await run(made), ["Seeded users.", "Seeded todos."]);
  assert.deepEqual(calls, ["users", "todos"]);
});
test("seed list names them and runs none", async () => {
  const { made, calls } = make();
  assert.deepEqual(await run(made, "list"), ["users", "todos"]);
  assert.deepEqual(calls, []);
});
test("seed run runs one", async () => {
  const { made, calls } = make();
  assert.deepEqual(await run(made, "run", "todos"), ["Seeded todos."]);
  assert.deepEqual(calls, ["todos"]);
});
test("an unknown seed is an error that names those there are", async () => {
  const { made } = make();
  await refuses("E_SEED_UNKNOWN", () => run(made, "run", "nothing"));
  await refuses("E_SEED_UNKNOWN", () => made.run("constructor"));
});
for (const args of [["run"], ["nothing"], ["list", "users"], ["run", "users", "todos"], ["users"]]) {
  test(`seed ${args.join(" ")} is answered with the usage`, async () => {
    assert.equal(await run(make().made, ...args), undefined);
  });
}
test("in production seeds need --force", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "production" });
  const { made, calls } = make();
  await refuses("E_SEED_PRODUCTION", () => run(made));
  await refuses("E_SEED_PRODUCTION", () => made.run());
  assert.deepEqual(calls, []);
  assert.deepEqual(await run(made, "run", "users", "--force"), ["Seeded users."]);
});
test("the service runs seeds for code as well", async () => {
  const { made, calls } = make();
  assert.deepEqual(await made.run("todos"), ["todos"]);
  assert.deepEqual(calls, ["todos"]);
});
