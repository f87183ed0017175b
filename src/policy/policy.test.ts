import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Configuration, isError, Language, Random, Schema } from "limmat";
import { Row, sql, type SqlPart } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { de } from "limmat/language/de";
import { Policy } from "limmat/policy";
import { Table } from "limmat/table";
import { capturedLog, capturedQueries } from "limmat/testing";
import { ConfigurationInternals } from "../config/index.ts";

const database = sqlite({ url: "sqlite::memory:" });

const projects = Table.make("projects", {
  schema: Schema.record({ name: Schema.string() }),
  columns: { owner_id: Row.uuid },
  softDelete: true,
});
const notes = Table.make("notes", {
  schema: Schema.record({ text: Schema.string(), public: Schema.bool() }),
  columns: { project_id: Row.uuid, author_id: Row.uuid },
  relations: { project: () => Table.belongsTo(projects) },
  search: { filter: ["text"] },
});

const orders = Table.make("orders", {
  schema: Schema.record({ title: Schema.string() }),
  columns: { company_id: Row.optional(Row.uuid) },
});

const projectPolicy = Policy.make(projects, () => ({
  see: (user) => ({ owner_id: user.id }),
}));
const policy = Policy.make(
  notes,
  (is) => ({
    see: is.any(
      is.anyone({ public: true }),
      (user) => ({ author_id: user.id }),
      is.related.project(projectPolicy.rules.see),
    ),
    change: (user) => ({ author_id: user.id }),
    read: is.anyone(),
  }),
  { reasons: { change: () => "Only the author may change a note." } },
);

const [ada, grace] = [{ id: Random.uuid() }, { id: Random.uuid() }] as const;

/** Stores a project of Ada, with a note of hers, and one of Grace that is public or not. */
async function world(isPublic = false) {
  await database.exec(sql`delete from notes`);
  await database.exec(sql`delete from projects`);
  const project = await projects.insert(database, { name: "Rail", owner_id: ada.id });
  const base = { project_id: project.id, public: isPublic };
  const own = await notes.insert(database, { ...base, text: "of Ada", author_id: ada.id });
  const other = await notes.insert(database, { ...base, text: "of Grace", author_id: grace.id });
  return { project, own, other };
}

/** Returns the code and the message of a refusal; `undefined` if there is none. */
const refusalOf = async (
  ...question: Parameters<typeof policy.check>
): Promise<readonly [code: string, message: string] | undefined> => {
  const result = await policy.check(...question);
  return result.ok ? undefined : [result.error.code, result.error.message];
};

describe("policies", () => {
  before(async () => {
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    await database.start({ services: [database] });
    for (const text of Table.createStatements([projects, notes, orders], database.dialect())) {
      await database.exec(sql(Object.assign([text], { raw: [text] })));
    }
  });
  after(async () => {
    await database.stop();
    ConfigurationInternals.reset();
  });

  test("what an actor may not see does not exist; what one may see and not change has a reason", async () => {
    const { own, other } = await world();
    const stranger = { id: Random.uuid() };
    for (const row of [own, own.id, own.id.toUpperCase()]) {
      assert.equal(await refusalOf(database, ada, "change", row), undefined);
      assert.deepEqual(await refusalOf(database, stranger, "change", row), [
        "E_POLICY_NO_ROW",
        "There is no such entry.",
      ]);
    }
    for (const row of [other, other.id]) {
      const reason = "Only the author may change a note.";
      assert.deepEqual(await refusalOf(database, ada, "change", row), ["E_POLICY_REFUSED", reason]);
      await assert.rejects(policy.require(database, ada, "change", row), { status: 403, message: reason });
      await assert.rejects(policy.require(database, stranger, "change", row), { status: 404 });
    }
    for (const id of [Random.uuid(), "x", "' or 1=1 --", ""]) {
      assert.equal((await refusalOf(database, ada, "read", id))?.[0], "E_POLICY_NO_ROW");
    }
  });

  test("a reason is in the language of the person", async () => {
    const { other } = await world();
    const language = Language.make("en", { en: {}, de: {} }, { framework: { de } });
    const policyOfOthers = Policy.make(notes, () => ({ see: () => true, change: () => false }));
    const errorOf = async (): Promise<unknown> => {
      const result = await policyOfOthers.check(database, ada, "change", other);
      return result.ok ? undefined : result.error;
    };
    assert.match(String(await errorOf()), /You may not do this\./);
    const thrown = await language.run("de", errorOf);
    assert.ok(isError(thrown, "E_POLICY_REFUSED"));
    assert.deepEqual(thrown.values, [undefined]);
  });

  test("a search takes a policy beside its own conditions", async () => {
    const { project, own } = await world();
    const where = [{ project_id: project.id }, policy.where(grace)];
    const [rows, total] = await notes.search(database, { filter: "of" }, { where });
    assert.deepEqual([rows.map(({ text }) => text), total], [["of Grace"], 1]);
    assert.equal(await notes.count(database, policy.where(ada)), 2);
    assert.equal(await notes.findOpt(database, [{ id: own.id }, policy.where(grace)]), undefined);
    assert.equal(await notes.exists(database, [{ id: own.id }, policy.where(ada, "change")]), true);
    await assert.rejects(notes.collect(database, { where: [] }), { code: "E_TABLE" });
  });

  test("a condition of a policy stays one beside others in SQL", async () => {
    const { own, other } = await world();
    const ofSql = Policy.make(notes, () => ({ see: (user) => sql`author_id = ${user.id} or public` }));
    for (const { where } of [policy, ofSql]) {
      const idsOf = (condition: SqlPart): Promise<readonly string[]> =>
        database.collect(sql.row(Row.value(Row.uuid))`select id from notes where ${condition}`);
      assert.deepEqual(await idsOf(sql`id = ${other.id} and ${where(grace)}`), [other.id]);
      assert.deepEqual(await idsOf(sql`id = ${own.id} and ${where(grace)}`), []);
      assert.deepEqual(await idsOf(sql`${where(grace)} and id = ${own.id}`), []);
      assert.deepEqual(await idsOf(sql`not ${where(grace)}`), [own.id]);
    }
  });

  test("visitors get what anyone may do", async () => {
    await world();
    assert.equal(await notes.count(database, policy.where(undefined)), 0);
    // Each action needs `see`.
    assert.equal(await notes.count(database, policy.where(undefined, "read")), 0);
    const { own } = await world(true);
    assert.equal(await notes.count(database, policy.where(undefined)), 2);
    assert.equal(await refusalOf(database, undefined, "see", { ...own, public: true }), undefined);
    assert.equal(await notes.count(database, policy.where(undefined, "read")), 2);
    assert.equal(await refusalOf(database, undefined, "read", own), undefined);
    assert.equal((await refusalOf(database, undefined, "change", own))?.[0], "E_POLICY_REFUSED");
  });

  test("rows of a deleted parent are out of reach", async () => {
    const { project, other } = await world();
    assert.equal(await refusalOf(database, ada, "see", other), undefined);
    await projects.delete(database, project);
    assert.equal((await refusalOf(database, ada, "see", other))?.[0], "E_POLICY_NO_ROW");
  });

  test("the system may do everything, and the log says so", async () => {
    const { own } = await world();
    using log = capturedLog();
    const actor = Policy.system("reminders");
    assert.equal(await notes.count(database, policy.where(actor)), 2);
    assert.equal(await refusalOf(database, actor, "change", own.id), undefined);
    assert.equal((await policy.can(database, actor, [own], ["change"]))("change", own), true);
    const lines = log.entries.filter(({ source }) => source === "limmat.policy").map(({ message }) => message);
    assert.deepEqual(lines, [
      "reminders may see all rows of notes",
      ...Array(2).fill("reminders may change all rows of notes"),
    ]);
  });

  test("columns decide without a statement, everything else takes one", async () => {
    const { own, other } = await world();
    const countOf = async (run: () => Promise<unknown>): Promise<number> => {
      using queries = capturedQueries();
      await run();
      return queries.entries.length;
    };
    assert.equal(await countOf(() => policy.check(database, ada, "change", own)), 0);
    assert.equal(await countOf(() => policy.check(database, ada, "change", own.id)), 1);
    assert.equal(await countOf(() => policy.check(database, ada, "change", other)), 1);
    const rows = Array.from({ length: 25 }, () => [own, other]).flat();
    assert.equal(await countOf(() => policy.can(database, ada, [own, own], ["change", "read"])), 0);
    assert.equal(await countOf(() => policy.can(database, ada, rows, ["change", "see", "read"])), 1);
    assert.equal(await countOf(() => policy.can(database, ada, [], ["see"])), 0);
  });

  test("there is no limit of actions, and their names are texts", async () => {
    const { own } = await world();
    const actions = Array.from({ length: 70 }, (_, index) => `action${index}`);
    const isAllowed = (action: string): boolean => actions.indexOf(action) % 3 === 0;
    const many = Policy.make(notes, () => ({
      see: () => true,
      ...Object.fromEntries(actions.map((action) => [action, () => sql`${isAllowed(action) ? 1 : 0} = 1`])),
    }));
    for (const count of [31, 32, 33, 53, 70]) {
      const asked = actions.slice(0, count);
      const can = await many.can(database, ada, [own], asked as "see"[]);
      assert.deepEqual(
        asked.filter((action) => can(action as "see", own)),
        asked.filter(isAllowed),
      );
    }
    const inherited = ["constructor", "toString", "__proto__"];
    const named = Policy.make(notes, () => ({
      see: () => true,
      ...Object.fromEntries(inherited.map((action) => [action, () => false])),
    }));
    for (const action of inherited) {
      await assert.rejects(named.require(database, ada, action as "see", own), { message: "You may not do this." });
      await assert.rejects(policy.require(database, ada, action as "see", own), { code: "E_POLICY" });
    }
  });

  test("the id of a deleted row is that of no row", async () => {
    const { project } = await world();
    await projectPolicy.require(database, ada, "see", project.id);
    await projects.delete(database, project);
    await assert.rejects(projectPolicy.require(database, ada, "see", project.id), { code: "E_POLICY_NO_ROW" });
    const deleted = await projects.find(database, project.id, { withDeleted: true });
    await projectPolicy.require(database, ada, "see", deleted);
  });

  test("rules of a table that Table.make did not create are SQL", async () => {
    await world();
    const plain = { name: "projects", row: projects.row, relations: {} };
    const drafts = Table.make("notes", {
      schema: Schema.record({ text: Schema.string() }),
      columns: { project_id: Row.uuid },
      relations: { project: () => Table.belongsTo(plain) },
    });
    const byOwner = Policy.make(drafts, (is) => ({
      see: is.related.project((user) => sql`owner_id = ${user.id}`),
      change: is.related.project((user) => ({ owner_id: user.id })),
    }));
    assert.equal(await drafts.count(database, byOwner.where(ada)), 2);
    assert.equal(await drafts.count(database, byOwner.where(grace)), 0);
    assert.throws(() => byOwner.where(ada, "change"), { code: "E_TABLE", message: /projects.*Table\.make/ });
  });

  test("a join table without the columns of its relation is an error, not a comparison with the row itself", async () => {
    const shared = Table.make("notes", {
      schema: Schema.record({}),
      columns: { author_id: Row.uuid },
      relations: {
        projects: () =>
          Table.manyToMany(projects, { through: "projects", column: "author_id", targetColumn: "owner_id" }),
      },
    });
    const { where } = Policy.make(shared, (is) => ({ see: is.related.projects(() => true) }));
    await assert.rejects(shared.count(database, where(ada)), { message: /author_id/ });
  });

  test("mistakes are errors, not rights", async () => {
    const { own } = await world();
    const noUser = { id: undefined as unknown as string };
    const forEverybody = Policy.make(notes, () => ({ see: () => true }));
    for (const actor of [noUser, null, {}, "ada", Promise.resolve(ada)] as (typeof ada)[]) {
      for (const { where, check, can } of [policy, forEverybody]) {
        assert.throws(() => where(actor), { code: "E_POLICY", message: /undefined for a visitor/ });
        await assert.rejects(check(database, actor, "see", own), { code: "E_POLICY" });
        await assert.rejects(can(database, actor, [own], ["see"]), { code: "E_POLICY" });
      }
    }
    for (const row of [undefined, null, {}, 1, { ...own, id: undefined }, Promise.resolve(own)] as (typeof own)[]) {
      await assert.rejects(forEverybody.check(database, ada, "see", row), { code: "E_POLICY", message: /Await/ });
      await assert.rejects(forEverybody.can(database, ada, [own, row], ["see"]), { code: "E_POLICY" });
    }
    for (const condition of [undefined, null, [], "1", 1, new Date(), new Map(), Promise.resolve({ public: true })]) {
      const broken = Policy.make(notes, () => ({ see: () => condition as object }));
      assert.throws(() => broken.where(ada), { code: "E_TABLE" });
      await assert.rejects(broken.check(database, ada, "see", own), { code: "E_TABLE" });
      await assert.rejects(broken.check(database, ada, "see", own.id), { code: "E_TABLE" });
    }
    assert.throws(() => policy.where(ada, "delete" as "see"), { code: "E_POLICY", message: /see, change, read/ });
    await assert.rejects(policy.can(database, ada, [own], ["delete" as "see"]), { code: "E_POLICY" });
    const plain = { name: "people", row: notes.row, relations: {} };
    assert.throws(() => Policy.make(plain, () => ({ see: () => true })), { code: "E_TABLE" });
    assert.throws(() => Policy.make(notes, (is) => ({ see: is.all() })), {
      code: "E_POLICY",
      message: /without a rule/,
    });
  });

  test("a value that a user lacks does not select the rows with NULL", async () => {
    interface Employee {
      readonly id: string;
      readonly company_id: string | null;
    }
    const employee: Employee = { ...ada, company_id: grace.id };
    const guest: Employee = { ...ada, company_id: null };
    const ofCompany = (see: (user: Employee) => object | boolean) =>
      Policy.make(orders, (is: Policy.Rules<typeof orders, Employee>) => ({
        see: see as () => boolean,
        others: is.not(see as () => boolean),
      }));
    const unowned = await orders.insert(database, { title: "without a company" });
    const owned = await orders.insert(database, { title: "of Grace", company_id: grace.id });
    const tested = Policy.make(orders, (_is: Policy.Rules<typeof orders, Employee>) => ({
      see: (user) => user.company_id !== null && { company_id: user.company_id },
    }));
    assert.deepEqual(await orders.collect(database, { where: tested.where(guest) }), []);
    assert.deepEqual(await orders.collect(database, { where: tested.where(employee) }), [owned]);
    for (const missing of [null, undefined]) {
      for (const broken of [
        ofCompany((user) => ({ company_id: user.company_id ?? missing })),
        ofCompany((user) => [{ title: "of Grace" }, { company_id: user.company_id ?? missing }]),
      ]) {
        const refused = {
          code: "E_POLICY",
          message: new RegExp(`compares "company_id" with ${missing}\\..*is\\.anyone`),
        };
        assert.deepEqual(await orders.collect(database, { where: broken.where(employee) }), [owned]);
        for (const action of ["see", "others"] as const) {
          assert.throws(() => broken.where(guest, action), refused);
          for (const row of [unowned, owned, unowned.id]) {
            await assert.rejects(broken.check(database, guest, action, row), refused);
          }
          await assert.rejects(broken.can(database, guest, [unowned], [action]), refused);
        }
      }
    }
    const withoutCompany = Policy.make(orders, (is) => ({ see: is.anyone({ company_id: null }) }));
    assert.deepEqual(await orders.collect(database, { where: withoutCompany.where(undefined) }), [unowned]);
  });

  test("rules read the user of the annotated type, next to rules that read no user", async () => {
    interface Person {
      readonly id: string;
      readonly admin: boolean;
    }
    const typed = Policy.make(
      orders,
      (is: Policy.Rules<typeof orders, Person>) => ({ see: is.anyone(), change: (user) => user.admin }),
      { reasons: { change: () => "Only admins" } },
    );
    const order = await orders.insert(database, { title: "typed" });
    assert.equal((await typed.check(database, { ...ada, admin: true }, "change", order)).ok, true);
    assert.equal((await typed.check(database, { ...ada, admin: false }, "change", order)).ok, false);
  });

  test("types refuse unknown actions and columns, rows of other tables, and a missing user", () => {
    const mistakes = (guest: { readonly id: string; readonly company_id: string | null }): void => {
      // @ts-expect-error: no such action
      policy.where(ada, "delete");
      // @ts-expect-error: no user
      policy.where();
      // @ts-expect-error: no `see`
      Policy.make(notes, () => ({ change: () => true }));
      // @ts-expect-error: no such column
      Policy.make(notes, () => ({ see: (user) => ({ owner_id: user.id }) }));
      // @ts-expect-error: the user may lack a company
      Policy.make(orders, (_is: Policy.Rules<typeof orders, typeof guest>) => ({
        see: (user) => ({ company_id: user.company_id }),
      }));
      // @ts-expect-error: no value of a user
      Policy.make(orders, () => ({ see: () => ({ company_id: null }) }));
      // @ts-expect-error: no such relation
      Policy.make(notes, (is) => ({ see: is.related.author(() => true) }));
      // @ts-expect-error: the rule is of another table
      Policy.make(notes, () => ({ see: projectPolicy.rules.see }));
      const row = {} as Table.Infer<typeof projects>;
      // @ts-expect-error: the row is of another table
      void policy.check(database, ada, "change", row);
      // @ts-expect-error: the user lacks an id
      void policy.check(database, { name: "Ada" }, "change", "id");
      const admins = Policy.make(notes, (_is: Policy.Rules<typeof notes, { id: string; admin: boolean }>) => ({
        see: (user) => user.admin,
      }));
      // @ts-expect-error: the user lacks `admin`
      admins.where(ada);
    };
    assert.equal(typeof mistakes, "function");
  });
});
