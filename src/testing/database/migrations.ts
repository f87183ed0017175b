import assert from "node:assert/strict";
import { Cleaner } from "../../cleaner/index.ts";
import type { Service } from "../../core/index.ts";
import { Migration, Row, sql } from "../../database/index.ts";
import { output } from "../command.ts";
import { assertCode, refuses } from "./assert-code.ts";
import type { Setting } from "./subject.ts";

/** What migrations and cleaning promise. */
export function migrationCases({ subject, database, runner }: Setting): void {
  const { test } = runner;
  const service = (...migrations: readonly Migration.Migration[]): Migration.MigrationService =>
    Migration.service({ database, migrations });
  const statesOf = async (made: Migration.MigrationService, namespace: string): Promise<readonly string[]> =>
    (await made.status()).filter((step) => step.namespace === namespace).map(({ state }) => state);
  const table = (name: string): Migration.StepSql => `create table ${name} (id integer primary key)`;
  const exists = (name: string): Promise<boolean> =>
    database.collect(sql`select id from ${sql.identifier(name, [name])}`).then(
      () => true,
      () => false,
    );
  const command = async (made: Service.Service, ...args: readonly string[]): Promise<readonly string[]> => {
    const captured = output();
    const [migrate] = made.commands;
    const { signal } = new AbortController();
    const done = await migrate?.run(args, { services: [database, made], output: captured, signal });
    return done === undefined ? ["usage"] : captured.printed;
  };

  test("pending steps are run once, in order, and remembered", async () => {
    const made = service(
      Migration.make("m1", [Migration.step("a", table("m1_a")), Migration.step("b", table("m1_b"))]),
    );
    assert.deepEqual(await statesOf(made, "m1"), ["pending", "pending"]);
    assert.deepEqual(await made.runAll(), ['m1 1 "a"', 'm1 2 "b"']);
    assert.deepEqual(await made.runAll(), []);
    assert.deepEqual(await statesOf(made, "m1"), ["applied", "applied"]);
    assert.deepEqual(await made.pending(), []);
    const [first] = (await made.status()).filter(({ namespace }) => namespace === "m1");
    assert.ok(first?.applied_at instanceof Date && typeof first.duration_ms === "number");
  });
  test("a step that was added later is run alone", async () => {
    const steps = [Migration.step("a", table("m2_a"))];
    await service(Migration.make("m2", steps)).runAll();
    const longer = service(Migration.make("m2", [...steps, Migration.step("b", table("m2_b"))]));
    assert.deepEqual(await longer.runAll(), ['m2 2 "b"']);
  });
  test("namespaces run after those that they name", async () => {
    const made = service(
      Migration.make("m3.child", [Migration.step("a", table("m3_child"))], { after: ["m3.parent"] }),
      Migration.make("m3.parent", [Migration.step("a", table("m3_parent"))]),
    );
    assert.deepEqual(await made.runAll(), ['m3.parent 1 "a"', 'm3.child 1 "a"']);
  });
  test("namespaces that wait for each other, are given twice or are missing are errors", async () => {
    const step = Migration.step("a", table("m4"));
    const one = Migration.make("m4", [step], { after: ["m4b"] });
    await assertCode("E_MIGRATION_NAMESPACE_UNKNOWN", () => service(one).runAll());
    await assertCode("E_MIGRATION_CYCLE", () =>
      service(one, Migration.make("m4b", [step], { after: ["m4"] })).runAll(),
    );
    await assertCode("E_MIGRATION_NAMESPACE_TAKEN", () =>
      service(Migration.make("m4", [step]), Migration.make("m4", [step])).runAll(),
    );
    await assertCode("E_MIGRATION_NAME", () => Migration.make("M 4; drop", [step]));
  });
  test("the migrations of services that depend on the database are run", async () => {
    const tables = { migrations: [Migration.make("m5", [Migration.step("a", table("m5_a"))])] };
    const user: Service.Service = {
      name: "user",
      implementation: "test",
      dependencies: () => [database],
      configuration: [],
      commands: [],
      start: () => {},
      stop: () => {},
      ...tables,
    };
    const made = service();
    await made.start({ services: [database, user, made] });
    assert.deepEqual(await made.runAll(), ['m5 1 "a"']);
  });

  test("of a step that fails nothing stays, or else it is named until it is resolved", async () => {
    const step = (last: string): Migration.Step =>
      Migration.step("b", [table("m6_b"), table("m6_c"), last] as string[]);
    const steps = (last: string): Migration.MigrationService =>
      service(
        Migration.make("m6", [Migration.step("a", table("m6_a")), step(last), Migration.step("c", table("m6_e"))]),
      );
    const broken = steps("create table m6_d (id nonsense nonsense");
    const failure = await assertCode("E_MIGRATION_FAILED", () => broken.runAll());
    assert.match(failure.message, /m6 2 "b"/);
    assert.equal(await exists("m6_a"), true);
    assert.equal(await exists("m6_e"), false);
    const fixed = steps("create table m6_d (id integer primary key)");
    if (database.dialect().hasTransactionalDdl) {
      assert.equal(await exists("m6_b"), false);
      assert.deepEqual(await statesOf(broken, "m6"), ["applied", "pending", "pending"]);
    } else {
      assert.deepEqual(await statesOf(broken, "m6"), ["applied", "half-done", "pending"]);
      await assertCode("E_MIGRATION_HALF_DONE", () => fixed.runAll());
      await database.exec(sql`drop table m6_b`);
      await database.exec(sql`drop table m6_c`);
      assert.deepEqual(await command(fixed, "resolve", "m6", "2", "--retry"), [
        "Noted as not begun: the next migrate runs it again.",
      ]);
    }
    assert.deepEqual(await fixed.runAll(), ['m6 2 "b"', 'm6 3 "c"']);
  });
  test("a single statement that fails is never half-done", async () => {
    const made = (text: string): Migration.MigrationService =>
      service(Migration.make("m7", [Migration.step("a", text)]));
    await assertCode("E_MIGRATION_FAILED", () => made("create table m7 (").runAll());
    assert.deepEqual(await made("create table m7 (id integer primary key)").runAll(), ['m7 1 "a"']);
  });
  test("a step that was changed after it was applied is reported, its indentation aside", async () => {
    const made = (text: string): Migration.MigrationService =>
      service(Migration.make("m8", [Migration.step("a", text)]));
    await made("create table m8 (id integer primary key)").runAll();
    assert.deepEqual(await statesOf(made("create  table m8\n (id integer primary key)"), "m8"), ["applied"]);
    assert.deepEqual(await statesOf(made("create table m8 (id integer primary key, x integer)"), "m8"), ["changed"]);
    assert.deepEqual(await statesOf(service(), "m8"), ["unknown"]);
  });

  test("steps that say how are taken back, the last first", async () => {
    const steps = ["a", "b"].map((name) =>
      Migration.step(name, table(`m9_${name}`), { down: `drop table m9_${name}` }),
    );
    const made = service(Migration.make("m9", steps));
    await made.runAll();
    assert.deepEqual(await command(made, "down"), ["Took back 1 step."]);
    assert.deepEqual([await exists("m9_a"), await exists("m9_b")], [true, false]);
    assert.deepEqual(await statesOf(made, "m9"), ["applied", "pending"]);
    assert.deepEqual(await made.runAll(), ['m9 2 "b"']);
    assert.deepEqual(await command(made, "down", "2"), ["Took back 2 steps."]);
    assert.deepEqual(await statesOf(made, "m9"), ["pending", "pending"]);
  });
  test("a step that does not say how is not taken back, nor any with it", async () => {
    const made = service(
      Migration.make("m10", [
        Migration.step("a", table("m10_a")),
        Migration.step("b", table("m10_b"), { down: "drop table m10_b" }),
      ]),
    );
    await made.runAll();
    await assertCode("E_MIGRATION_NO_DOWN", () => command(made, "down", "2"));
    assert.equal(await exists("m10_b"), true);
  });

  test("eight that migrate at once apply each step once", async () => {
    const steps = Array.from({ length: 5 }, (_, index) => Migration.step(`s${index}`, table(`m11_${index}`)));
    const others = Array.from({ length: 8 }, (_, index) => subject.make({ name: `other${index}` }));
    for (const other of others) await other.start({ services: [other] });
    try {
      const applied = await Promise.all(
        others.map((other) =>
          Migration.service({ database: other, migrations: [Migration.make("m11", steps)] }).runAll(),
        ),
      );
      assert.deepEqual(
        applied.flat().sort(),
        steps.map(({ name }, index) => `m11 ${index + 1} "${name}"`),
      );
    } finally {
      for (const other of others) await other.stop();
    }
  });

  test("a dry run prints the SQL and changes nothing", async () => {
    const made = service(Migration.make("m12", [Migration.step("a", ({ int }) => `create table m12 (id ${int})`)]));
    const printed = await command(made, "--dry-run");
    assert.match(printed.join("\n"), /-- m12 1 "a"\ncreate table m12/);
    assert.equal(await exists("m12"), false);
    const [json = ""] = await command(made, "--dry-run", "--json");
    assert.equal((JSON.parse(json) as { pending: { name: string }[] }).pending[0]?.name, "a");
    assert.deepEqual(await command(made), ["Applied 1 step."]);
    assert.deepEqual(await command(made), ["Nothing to migrate."]);
    assert.match((await command(made, "status")).join("\n"), /applied {4}m12 1 "a"/);
  });
  for (const args of [
    ["now"],
    ["down", "0"],
    ["down", "-1"],
    ["down", "x"],
    ["--force"],
    ["resolve", "m1"],
    ["status", "x"],
  ]) {
    test(`migrate ${args.join(" ")} is answered with the usage`, async () => {
      assert.deepEqual(await command(service(), ...args), ["usage"]);
    });
  }
  test("only a half-done step can be resolved", () =>
    refuses("E_MIGRATION_NOT_HALF_DONE", () => command(service(), "resolve", "contract", "1", "--applied")));

  test("cleaning empties all tables, whatever refers to what, and forgets no migration", async () => {
    await database.exec(sql`insert into c_items (id, name, amount) values (100, 'x', 1)`);
    await database.exec(sql`insert into c_parts (id, item_id) values (100, 100)`);
    const before = (await service().status()).length;
    await Cleaner.cleanAll();
    for (const name of ["c_items", "c_parts", "c_search", "c_text"]) {
      const count = sql.value(Row.int)`select count(*) from ${sql.identifier(name, [name])}`;
      assert.equal(await database.find(count), 0);
    }
    assert.equal((await service().status()).length, before);
    await assertCode("E_DATABASE_FOREIGN_KEY", () =>
      database.exec(sql`insert into c_parts (id, item_id) values (1, 5)`),
    );
  });
}
