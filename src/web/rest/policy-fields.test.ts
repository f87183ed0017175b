import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Schema } from "limmat";
import { editPage, itemPage, listPage, newPage } from "limmat/components";
import { attempt, Row, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { Policy } from "limmat/policy";
import { Table } from "limmat/table";
import { html, type Html } from "../../html/index.ts";
import type { Request } from "../../http/message/request.ts";
import { choose } from "../../http/router/index.ts";
import { isolate } from "../application/fetch.test.ts";
import * as Middleware from "../middleware/index.ts";
import { router as openApi } from "../openapi/openapi.ts";
import type { ServiceOptions } from "./contract.ts";
import { controllerOfService } from "./controller.ts";
import { jsonOfService, resourceOfService } from "./resource.ts";
import { application, textOf, Visitor } from "./todo-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

const database = sqlite({ url: "sqlite::memory:" });
const person = Schema.record({ name: Schema.string() });
const people = Table.make("people", { schema: person });
const schema = Schema.record(
  {
    title: Schema.string({ min: 1 }),
    salary: Schema.int({ default: 1 }),
    bonus: Schema.optional(Schema.decimal({ scale: 2 })),
    since: Schema.optional(Schema.date()),
    tags: Schema.list(Schema.string()),
    pin: Schema.optional(Schema.string({ sensitive: true })),
    confidential: Schema.bool(),
  },
  { validate: ({ title, salary }) => (title === `${salary}` ? { title: "Not the salary" } : undefined) },
);
const jobs = Table.make("jobs", {
  schema,
  columns: { author_id: Row.uuid, manager_id: Row.optional(Row.uuid) },
  version: true,
  relations: { manager: () => Table.belongsTo(people, { onDelete: "set null" }) },
});
type Job = Table.Infer<typeof jobs, readonly ["manager"]>;

/** The author changes a job, and nobody administers it. */
const policy = Policy.make(
  jobs,
  (is) => ({ see: is.anyone(), change: (user) => ({ author_id: user.id }), administer: () => false }),
  {
    readable: { salary: "administer", confidential: "administer", manager_id: "administer" },
    writable: { bonus: "administer", since: "administer", tags: "administer", pin: "administer" },
  },
);
const author = { id: "0f8fad5b-d9cb-469f-a165-708677289501" };
const actor = (request: Request): Policy.User | undefined =>
  request.query.get("as") === author.id ? author : undefined;
const access = Policy.access(policy, { database, actor });

const service = {
  find: (id: string, options?: ServiceOptions) =>
    jobs.findOpt(database, id, { with: ["manager"], ...options }) as Promise<Job | undefined>,
  search: async () => [(await jobs.collect(database, { with: ["manager"] })) as readonly Job[], 1] as const,
  insert: (input: Schema.Infer<typeof schema>) =>
    attempt(database, () => jobs.insert(database, { ...input, author_id: author.id }) as Promise<Job>, {}),
  update: (id: string, input: Schema.Infer<typeof schema>, options?: ServiceOptions) =>
    attempt(
      database,
      () => jobs.update(database, { id, version: options?.version ?? "any" }, input) as Promise<Job>,
      {},
    ),
  delete: ({ id }: Job, options?: ServiceOptions) =>
    attempt(database, () => jobs.delete(database, { id, version: options?.version ?? "any" }), {}),
};
const columns = ["title", "salary", "bonus", "since", "confidential"] as const;
const pages = {
  texts: { one: "job", many: "jobs" },
  schema,
  labelOf: ({ title }: Job): string => title,
  layout: (_: Request, title: string, content: Html): Html => html`<title>${title}</title>${content}`,
};
const view = {
  index: listPage(pages, { columns }),
  show: itemPage(pages, { facts: columns }),
  new: newPage(pages),
  edit: editPage(pages),
};
const options = { name: "jobs", schema, service, policy: access, versions: "optional" } as const;
const ask = application(jsonOfService({ ...options, include: { manager: person } }), Middleware.api());

let job: Job;

/** Returns the status and the messages of a PATCH request of the author. */
async function patch(body: object | string, method = "PATCH"): Promise<readonly [status: number, errors: unknown]> {
  const response = await ask(`/jobs/${job.id}?as=${author.id}`, {
    method,
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return [response.status, ((await response.json()) as { readonly errors?: unknown }).errors];
}

const refused = (field: string) => [422, { [field]: "You may not change this" }] as const;
const stored = (): Promise<unknown> => jobs.find(database, job.id);

describe("restricted fields", () => {
  before(async () => {
    await database.start({ services: [database] });
    for (const text of Table.createStatements([people, jobs], database.dialect())) {
      await database.exec(sql(Object.assign([text], { raw: [text] })));
    }
  });
  after(() => database.stop());
  beforeEach(async () => {
    await database.exec(sql`delete from jobs`);
    const manager = await people.insert(database, { name: "Grace" });
    const input = { title: "Open", salary: 700, tags: ["a", "b"], pin: "1234", confidential: true };
    const dated = { ...input, bonus: "1.5", since: "2026-01-02" };
    const values = { ...dated, author_id: author.id, manager_id: manager.id };
    job = (await jobs.insert(database, values)) as Job;
  });

  test("cannot be guessed by sending them", async () => {
    for (const [field, right, wrong] of [
      ["salary", 700, 701],
      ["confidential", true, false],
    ] as const) {
      assert.deepEqual(await patch({ title: "x", [field]: right }), refused(field));
      assert.deepEqual(await patch({ title: "x", [field]: wrong }), refused(field));
    }
    assert.deepEqual(await patch({ title: "x", pin: "1234" }), refused("pin"));
    assert.deepEqual(await stored(), await jobs.find(database, job.id));
    assert.equal((await jobs.find(database, job.id)).version, 1);
  });

  test("keep lists, nulls and sensitive values, and say so", async () => {
    for (const tags of [[], ["a"], ["b", "a"], ["a", "b", "c"], null, "a", {}]) {
      assert.deepEqual(await patch({ title: "x", tags }), refused("tags"), JSON.stringify(tags));
    }
    assert.deepEqual(await patch("[]"), [422, { title: "Please send an object with this field" }]);
    for (const [field, value] of [
      ["bonus", null],
      ["since", null],
      ["pin", null],
      ["pin", ""],
      ["bonus", 2],
      ["since", "2026-01-03"],
    ] as const) {
      assert.deepEqual(await patch({ title: "x", [field]: value }), refused(field), field);
      assert.deepEqual(await patch({ [field]: value }), refused(field), field);
    }
    assert.equal((await jobs.find(database, job.id)).version, 1);
    // A client may send back what it has read.
    assert.deepEqual(await patch({ tags: ["a", "b"] }), [200, undefined]);
    const { bonus } = (await (await ask(`/jobs/${job.id}`)).json()) as { readonly bonus: unknown };
    assert.deepEqual(await patch({ title: "x", bonus, since: "2026-01-02", tags: ["a", "b"] }, "PUT"), [
      200,
      undefined,
    ]);
    const kept = await jobs.find(database, job.id);
    assert.deepEqual([kept.salary, kept.tags, kept.pin, kept.confidential], [700, ["a", "b"], "1234", true]);
  });

  test("are no way around by odd names", async () => {
    assert.deepEqual(await patch('{"title":"x","__proto__":{"salary":1}}'), [200, undefined]);
    assert.deepEqual(await patch({ title: "x", "salary.x": 1, "tags.0": "z", constructor: { salary: 1 } }), [
      200,
      undefined,
    ]);
    const visitor = new Visitor(application(resourceOfService({ ...options, view })));
    const path = `/jobs/${job.id}?as=${author.id}`;
    const page = `/jobs/${job.id}/edit?as=${author.id}`;
    const form = { _method: "patch", title: "y" };
    assert.equal(
      (await visitor.submit(page, path, { ...form, "salary.x": "1", "_choice.salary": "sent" })).status,
      303,
    );
    for (const name of ["salary", "confidential", "tags.0", "tags.0.x", "tags.7", "tags"]) {
      const response = await visitor.submit(page, path, { ...form, title: "z", [name]: "true" });
      const text = await textOf(response);
      assert.doesNotMatch(text, /700/);
      const { title, salary, tags } = await jobs.find(database, job.id);
      assert.deepEqual([salary, tags], [700, ["a", "b"]], name);
      if (response.status !== 303) assert.deepEqual([response.status, title], [422, "y"], name);
    }
  });

  test("may be sent empty by a form that shows them so", async () => {
    const visitor = new Visitor(application(resourceOfService({ ...options, view })));
    const [path, page] = [`/jobs/${job.id}?as=${author.id}`, `/jobs/${job.id}/edit?as=${author.id}`];
    const form = { _method: "put", title: "Whole", salary: "", bonus: "1.50", since: "2026-01-02", pin: "" };
    const whole = { ...form, "tags.0": "a", "tags.1": "b" };
    assert.equal((await visitor.submit(page, path, whole)).status, 303);
    const { title, salary, pin, confidential } = await jobs.find(database, job.id);
    assert.deepEqual([title, salary, pin, confidential], ["Whole", 700, "1234", true]);
    assert.equal((await visitor.submit(page, path, { ...whole, pin: "1" })).status, 422);
    assert.equal((await visitor.submit(page, path, { ...whole, salary: "700" })).status, 422);
  });

  test("are in no page, document or relation", async () => {
    const visitor = new Visitor(application(resourceOfService({ ...options, view })));
    for (const path of ["/jobs", `/jobs/${job.id}`, `/jobs/${job.id}/edit`]) {
      const text = await textOf(visitor.get(`${path}?as=${author.id}`));
      assert.match(text, /Open/);
      assert.doesNotMatch(text, /700|1234/);
    }
    const shown = (await (await ask(`/jobs/${job.id}?as=${author.id}&include=manager`)).json()) as object;
    assert.deepEqual(
      [JSON.stringify(shown).includes("Grace"), "salary" in shown, "confidential" in shown],
      [false, false, false],
    );
    const list = await ask(`/jobs?as=${author.id}&include=manager`);
    assert.doesNotMatch(await list.text(), /Grace|700|1234/);
    const [row] = await policy.redact(database, author, [job]);
    assert.deepEqual([row && "manager" in row, row && "manager_id" in row], [false, false]);
  });

  test("are not on the page of a conflict", async () => {
    const visitor = new Visitor(application(resourceOfService({ ...options, view })));
    const [path, page] = [`/jobs/${job.id}?as=${author.id}`, `/jobs/${job.id}/edit?as=${author.id}`];
    await jobs.update(database, { id: job.id, version: 1 }, { title: "Meanwhile", salary: 999 });
    const stale = await visitor.submit(page, path, { _method: "put", title: "Mine", version: "1" });
    const text = await textOf(stale);
    assert.equal(stale.status, 409);
    assert.match(text, /Mine[^]*Meanwhile/);
    assert.doesNotMatch(text, /999|700|1234|_choice.(salary|confidential|pin|tags|bonus|since)|Salary|salary/);
    assert.doesNotMatch(text, /\bpin\b/i);
    const staleDeletion = await visitor.submit(page, path, { _method: "delete", version: "1" });
    const deletion = await textOf(staleDeletion);
    assert.equal(staleDeletion.status, 409);
    assert.match(deletion, /Meanwhile/);
    assert.doesNotMatch(deletion, /999|confidential/i);
  });

  test("are checked by the rule of the whole record", async () => {
    const [status, errors] = await patch({ title: "700" });
    assert.deepEqual([status, errors], [422, { title: "Not the salary" }]);
  });

  test("are optional in an API document", async () => {
    const described = choose([...jsonOfService(options), openApi({ title: "Jobs", version: "1.0.0" })]);
    const document = JSON.parse(await (await application([described], [])("/openapi.json")).text());
    const { responses } = document.paths["/jobs/{id}"].get;
    const text = JSON.stringify([responses["200"], document.components]);
    assert.match(text, /"required":\["id","title"/);
    assert.doesNotMatch(text, /"required":\["id"[^\]]*("salary"|"confidential")/);
  });

  test("need a default for new items, a schema of this framework, and no filter, when the application starts", () => {
    const required = Schema.record({ title: Schema.string(), role: Schema.oneOf(["admin", "member"]) });
    const roles = Table.make("roles", { schema: required });
    const rolePolicy = Policy.make(roles, (is) => ({ see: is.anyone(), change: is.anyone() }), {
      writable: { role: "change" },
    });
    const rest = {
      name: "roles",
      schema: required,
      policy: Policy.access(rolePolicy, { database, actor }),
      service: {
        find: () => undefined,
        search: () => [[], 0] as const,
        insert: () => ({ ok: false, error: "" }) as const,
        update: () => ({ ok: false, error: "" }) as const,
        delete: () => ({ ok: false, error: "" }) as const,
      },
    } as const;
    assert.throws(() => jsonOfService(rest as never), { code: "E_RESOURCE_INVALID", message: /"role"[^]*default/ });
    jsonOfService({ ...rest, only: ["show", "update"] } as never);
    const foreign = { "~standard": { ...schema["~standard"], vendor: "other" } };
    assert.throws(
      () => jsonOfService({ ...options, schema: foreign, only: ["update"] } as never),
      /need.* a schema of Schema\.record/,
    );
    jsonOfService({ ...options, schema: foreign, only: ["show"] } as never);
    assert.throws(() => controllerOfService({ ...options, view, sortBy: ["salary"] }), {
      code: "E_RESOURCE_INVALID",
      message: /"salary" reveals values/,
    });
  });
});
