import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "../../core/index.ts";
import { captureOutput, configuration } from "../../testing/index.ts";
import { rejectsWithCode } from "../../testing/assert-error-code.ts";
import * as Migration from "../migration.ts";
import { sqlite } from "../../database/sqlite/index.ts";
import { type SeedService, service as seedService } from "./seed.ts";

const database = sqlite({ url: ":memory:" });

function makeSeeds(): { readonly seed: SeedService; readonly calls: string[] } {
  const calls: string[] = [];
  const seeds = {
    users: () => void calls.push("users"),
    todos: async ({ progress }: { progress: (done: number, total: number) => void }) => {
      progress(1, 2);
      calls.push("todos");
    },
  };
  return { seed: seedService({ database, seeds }), calls };
}

async function runCommand(seed: SeedService, ...args: readonly string[]): Promise<readonly string[] | undefined> {
  const captured = captureOutput();
  const [command] = seed.commands as readonly [Command.Command];
  const { signal } = new AbortController();
  const done = await command.run(args, { services: [], output: captured, signal });
  return done === undefined ? undefined : captured.stdoutLines;
}

test("seed runs all seeds in order", async () => {
  const { seed, calls } = makeSeeds();
  assert.deepEqual(await runCommand(seed), ["Seeded users.", "Seeded todos."]);
  assert.deepEqual(calls, ["users", "todos"]);
});
test("seed list prints the names and runs no seed", async () => {
  const { seed, calls } = makeSeeds();
  assert.deepEqual(await runCommand(seed, "list"), ["users", "todos"]);
  assert.deepEqual(calls, []);
});
test("seed run runs one seed", async () => {
  const { seed, calls } = makeSeeds();
  assert.deepEqual(await runCommand(seed, "run", "todos"), ["Seeded todos."]);
  assert.deepEqual(calls, ["todos"]);
});
test("throws E_SEED_UNKNOWN for an unknown seed", async () => {
  const { seed } = makeSeeds();
  await rejectsWithCode("E_SEED_UNKNOWN", () => runCommand(seed, "run", "nothing"));
  await rejectsWithCode("E_SEED_UNKNOWN", () => seed.run("constructor"));
});
for (const args of [["run"], ["nothing"], ["list", "users"], ["run", "users", "todos"], ["users"]]) {
  test(`seed ${args.join(" ")} shows the usage`, async () => {
    assert.equal(await runCommand(makeSeeds().seed, ...args), undefined);
  });
}
test("requires --force in production", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "production" });
  const { seed, calls } = makeSeeds();
  await rejectsWithCode("E_SEED_PRODUCTION", () => runCommand(seed));
  await rejectsWithCode("E_SEED_PRODUCTION", () => seed.run());
  assert.deepEqual(calls, []);
  assert.deepEqual(await runCommand(seed, "run", "users", "--force"), ["Seeded users."]);
});
test("runs seeds from code", async () => {
  const { seed, calls } = makeSeeds();
  assert.deepEqual(await seed.run("todos"), ["todos"]);
  assert.deepEqual(calls, ["todos"]);
});

test("seed refuses to run with pending migrations, those of services included", async () => {
  using _ = configuration({ FRAMEWORK_ENV: "test" });
  const { seed, calls } = makeSeeds();
  const migrations = [Migration.make("notes", [Migration.step("a", "create table notes (id integer)")])];
  const user = { ...seed, name: "user", commands: [], dependencies: () => [database], migrations };
  const migration = Migration.service({ database, migrations: [] });
  const services = [database, migration, user, seed];
  // A memory database lives until it is stopped.
  await database.start({ services });
  try {
    const run = async (args: readonly string[]): Promise<readonly string[]> => {
      const captured = captureOutput();
      const command = seed.commands[0] as Command.Command;
      await command.run(args, { services, output: captured, signal: new AbortController().signal });
      return captured.stdoutLines;
    };
    for (const args of [[], ["run", "todos"]]) {
      await rejectsWithCode("E_MIGRATION_PENDING", () => run(args));
    }
    assert.deepEqual(await run(["list"]), ["users", "todos"]);
    assert.deepEqual(calls, []);
    const command = migration.commands[0] as Command.Command;
    await command.run([], { services, output: captureOutput(), signal: new AbortController().signal });
    assert.deepEqual(await run([]), ["Seeded users.", "Seeded todos."]);
  } finally {
    await database.stop();
  }
});
