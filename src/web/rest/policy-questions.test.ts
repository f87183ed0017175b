import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { error, ok, Random, type Result, Schema } from "limmat";
import { Row, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { Policy } from "limmat/policy";
import { Table } from "limmat/table";
import { capturedQueries } from "limmat/testing";
import type { Request } from "../../http/message/request.ts";
import { isolate } from "../application/fetch.test.ts";
import * as Middleware from "../middleware/index.ts";
import type { Refusal, ServiceOptions } from "./contract.ts";
import { jsonOfService } from "./resource.ts";
import { application } from "./todo-fixture.test.ts";

isolate();

const database = sqlite({ url: "sqlite::memory:" });
const schema = Schema.record({ title: Schema.string({ min: 1 }) });
const columns = { owner_id: Row.uuid };
const relations = { members: () => Table.hasMany(members) };
const notes = Table.make("notes", { schema, columns, relations });
const drafts = Table.make("drafts", { schema, columns });
const members = Table.make("members", {
  schema: Schema.record({ role: Schema.oneOf(["reader", "writer"]) }),
  columns: { note_id: Row.uuid, user_id: Row.uuid },
  relations: { note: () => Table.belongsTo(notes) },
});
type Note = Table.Infer<typeof notes>;

/** User with a right that the rules read. */
interface Person {
  readonly id: string;
  readonly admin: boolean;
}

const mine = (user: Policy.User): { readonly owner_id: string } => ({ owner_id: user.id });
const policy = Policy.make(notes, (is: Policy.Rules<typeof notes, Person>) => ({
  see: is.any(
    mine,
    ({ admin }) => admin,
    is.related.members((user) => ({ user_id: user.id })),
  ),
  change: is.any(
    ({ admin }) => admin,
    is.related.members((user) => ({ user_id: user.id, role: "writer" })),
  ),
}));
/** Another policy of the table. */
const openPolicy = Policy.make(notes, (is) => ({ see: is.anyone(), change: is.anyone() }));
const minePolicy = Policy.make(notes, () => ({ see: mine, change: mine }));
const draftPolicy = Policy.make(drafts, () => ({ see: mine }));

const [writer, reader, stranger] = ["1", "2", "3"].map((digit) => ({
  id: `0f8fad5b-d9cb-469f-a165-70867728950${digit}`,
  admin: false,
})) as [Person, Person, Person];
const admin: Person = { id: stranger.id, admin: true };
const actor = (request: Request): Person | undefined =>
  request.query.has("admin") ? admin : [writer, reader, stranger].find(({ id }) => id === request.query.get("as"));
const access = Policy.access(policy, { database, actor });

type Update = (
  id: string,
  input: { readonly title: string },
  options?: ServiceOptions,
) => Promise<Result<Note, Refusal>>;

const change: Update = async (id, input) => ok(await notes.update(database, { id }, input));
const service = {
  find: (id: string): Promise<Note | undefined> => notes.findOpt(database, id),
  search: async () => [await notes.collect(database), 1] as const,
  insert: async (): Promise<Result<Note, Refusal>> => error("No more"),
  update: change,
  delete: async ({ id }: Note): Promise<Result<undefined, Refusal>> => {
    await notes.delete(database, { id });
    return ok();
  },
};

let note: Note;

const options = { name: "notes", schema, policy: access } as const;
const client = (parts: Partial<typeof service>) =>
  application(jsonOfService({ ...options, service: { ...service, ...parts } }), Middleware.api());
const json = (method: string, body: object): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** Returns the status of a PATCH request by a service with this `update`. */
async function statusOf(update: Update, query = `as=${writer.id}`): Promise<number> {
  return (await client({ update })(`/notes/${note.id}?${query}`, json("PATCH", { title: "New" }))).status;
}

describe("questions of a resource and its service", () => {
  before(async () => {
    await database.start({ services: [database] });
    await database.addPool({ name: "tenant", url: "sqlite::memory:" });
    for (const text of Table.createStatements([notes, drafts, members], database.dialect())) {
      const statement = sql(Object.assign([text], { raw: [text] }));
      await database.exec(statement);
      await database.exec(statement, { ctx: [["pool", "tenant"]] });
    }
  });
  after(() => database.stop());
  beforeEach(async () => {
    await database.exec(sql`delete from members`);
    await database.exec(sql`delete from notes`);
    await database.exec(sql`delete from drafts`);
    note = await notes.insert(database, { title: "Secret", owner_id: Random.uuid() });
    await members.insert(database, { note_id: note.id, user_id: writer.id, role: "writer" });
    await members.insert(database, { note_id: note.id, user_id: reader.id, role: "reader" });
  });

  test("answer a hidden item as a missing one", async () => {
    const ask = client({});
    for (const [method, body] of [["GET"], ["HEAD"], ["PATCH", { title: "x" }], ["DELETE"]] as const) {
      const [hidden, missing] = await Promise.all(
        [note.id, Random.uuid()].map(async (id) => {
          const init = body === undefined ? { method } : json(method, body);
          const response = await ask(`/notes/${id}?as=${stranger.id}`, {
            ...init,
            headers: { "content-type": "application/json", "if-match": '"1"' },
          });
          const headers = [...response.headers].filter(([name]) => !["x-request-id", "content-length"].includes(name));
          return [response.status, headers, (await response.text()).replace(/"requestId":"[^"]*"/, "")];
        }),
      );
      assert.deepEqual(hidden, missing, method);
    }
  });

  test("are asked about the item, whatever else the service has asked", async () => {
    const find = service.find;
    const { search } = service;
    const other = await notes.insert(database, { title: "Own", owner_id: stranger.id });
    const questions: readonly (() => unknown)[] = [
      () => policy.check(database, stranger, "change", note.id),
      () => policy.check(database, stranger, "see", other.id),
      () => policy.where(writer),
      () => policy.where(Policy.system("index")),
      () => openPolicy.where(stranger),
    ];
    for (const question of questions) {
      const asking = {
        find: async (id: string) => {
          await question();
          return find(id);
        },
        search: async () => {
          await question();
          return search();
        },
      };
      const shown = await client(asking)(`/notes/${note.id}?as=${stranger.id}`);
      assert.equal(shown.status, 404, String(question));
      const listed = await client(asking)(`/notes?as=${stranger.id}`);
      assert.deepEqual([listed.status, (await listed.text()).includes("Secret")], [500, false], String(question));
    }
  });

  test("are remembered for the user, the row, the action and the policy alone", async () => {
    const asking =
      (...question: Parameters<typeof policy.require>): Update =>
      async (id, input) => {
        await policy.require(...question);
        return change(id, input);
      };
    assert.equal(await statusOf(asking(database, writer, "change", note.id)), 200);
    assert.equal(await statusOf(asking(database, reader, "change", note.id)), 403);
    assert.equal(await statusOf(asking(database, undefined, "change", note.id)), 404);
    assert.equal(await statusOf(asking(database, admin, "change", note.id), "admin"), 200);
    assert.equal(await statusOf(asking(database, stranger, "change", note.id), "admin"), 404);
    const mineOnly: Update = async (id, input) => {
      await minePolicy.require(database, writer, "change", id);
      return change(id, input);
    };
    assert.equal(await statusOf(mineOnly), 404);
  });

  test("are remembered for one table, also if tables share a rule", async () => {
    const draft = await drafts.insert(database, { title: "Draft", owner_id: reader.id });
    await database.exec(sql`delete from members`);
    await database.exec(sql`update notes set id = ${draft.id}, owner_id = ${writer.id}`);
    const own = Policy.access(minePolicy, { database, actor });
    const update: Update = async (id, input) => {
      await draftPolicy.require(database, writer, "see", id);
      return change(id, input);
    };
    const ask = application(
      jsonOfService({ ...options, policy: own, service: { ...service, update } }),
      Middleware.api(),
    );
    assert.equal((await ask(`/notes/${draft.id}?as=${writer.id}`, json("PATCH", { title: "x" }))).status, 404);
  });

  test("are asked again after a change, so that a service can check what it has done", async () => {
    const handOver = async (): Promise<unknown> => database.exec(sql`update members set role = 'reader'`);
    const checkedAfter: Update = (id, input) =>
      database.transaction(async () => {
        await handOver();
        await policy.require(database, writer, "change", id);
        return change(id, input);
      });
    assert.equal(await statusOf(checkedAfter), 403);
    const checkedTwice: Update = (id, input) =>
      database.transaction(async () => {
        await policy.require(database, writer, "change", id);
        await handOver();
        await policy.require(database, writer, "change", id);
        return change(id, input);
      });
    assert.equal(await statusOf(checkedTwice), 403);
    const own = Policy.access(minePolicy, { database, actor });
    await database.exec(sql`update notes set owner_id = ${writer.id}`);
    const givenAway: Update = async (id, input) => {
      // Columns of the row decide, whatever was asked before.
      await minePolicy.require(database, writer, "change", { ...note, owner_id: reader.id });
      return change(id, input);
    };
    const ask = application(
      jsonOfService({ ...options, policy: own, service: { ...service, update: givenAway } }),
      Middleware.api(),
    );
    assert.equal((await ask(`/notes/${note.id}?as=${writer.id}`, json("PATCH", { title: "x" }))).status, 404);
    assert.equal((await notes.find(database, note.id)).title, "Secret");
  });

  test("are asked again by work that goes on after the request", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let later: Promise<unknown> | undefined;
    const update: Update = async (id, input) => {
      await policy.require(database, writer, "change", id);
      later = released.then(() => policy.check(database, writer, "change", id));
      return change(id, input);
    };
    assert.equal(await statusOf(update), 200);
    await database.exec(sql`update members set role = 'reader'`);
    release();
    assert.equal(((await later) as Result<undefined>).ok, false);
  });

  test("ask about the item as it is when the body has arrived", async () => {
    await database.exec(sql`update notes set owner_id = ${writer.id}`);
    const own = Policy.access(minePolicy, { database, actor });
    const ask = application(jsonOfService({ ...options, policy: own, service }), Middleware.api());
    const bodies = [
      ["PATCH", { title: "x" }, 404],
      ["DELETE", { version: 1 }, 404],
    ] as const;
    for (const [method, body, status] of bodies) {
      await database.exec(sql`update notes set owner_id = ${writer.id}`);
      const slowBody = new ReadableStream(
        {
          async pull(controller) {
            // The body arrives after another person owns the item.
            await database.exec(sql`update notes set owner_id = ${reader.id}`);
            controller.enqueue(new TextEncoder().encode(JSON.stringify(body)));
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      const init = { ...json(method, {}), body: slowBody, duplex: "half" } as RequestInit;
      assert.equal((await ask(`/notes/${note.id}?as=${writer.id}`, init)).status, status, method);
      assert.equal((await notes.find(database, note.id)).title, "Secret");
    }
  });

  test("are those of the tenant's database", async () => {
    const ctx = [["pool", "tenant"]] as const;
    const elsewhere = await notes.insert(database, { title: "Elsewhere", owner_id: Random.uuid() }, { ctx });
    const tenant = application(
      jsonOfService({
        ...options,
        ctx: () => ctx,
        service: { ...service, find: (id: string, given?: ServiceOptions) => notes.findOpt(database, id, given) },
      }),
      Middleware.api(),
    );
    const status = async (): Promise<number> => (await tenant(`/notes/${elsewhere.id}?as=${reader.id}`)).status;
    // Another database has the same row, and allows it.
    await database.exec(sql`insert into notes (id, title, owner_id) values (${elsewhere.id}, 'Copy', ${reader.id})`);
    await members.insert(database, { note_id: elsewhere.id, user_id: reader.id, role: "writer" });
    assert.equal(await status(), 404);
    await members.insert(database, { note_id: elsewhere.id, user_id: reader.id, role: "reader" }, { ctx });
    assert.equal(await status(), 200);
  });

  test("cost the careful service no second statement", async () => {
    const update: Update = async (id, input) => {
      await policy.require(database, { id: writer.id, admin: false }, "change", id);
      return change(id, input);
    };
    using queries = capturedQueries();
    assert.equal(await statusOf(update), 200);
    // The item, `see`, `change`, and the change.
    assert.equal(queries.entries.length, 4);
  });
});
