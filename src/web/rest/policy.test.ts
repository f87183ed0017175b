import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Random, Schema } from "limmat";
import { editPage, itemPage, listPage, newPage } from "limmat/components";
import { attempt, Row, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { Policy } from "limmat/policy";
import { Table } from "limmat/table";
import { capturedQueries } from "limmat/testing";
import { html, type Html } from "../../html/index.ts";
import type { Request } from "../../http/message/request.ts";
import { choose } from "../../http/router/index.ts";
import { isolate } from "../application/fetch.test.ts";
import { service as http } from "../application/service.ts";
import { router as openApi } from "../openapi/openapi.ts";
import * as Middleware from "../middleware/index.ts";
import type { CompleteQuery } from "../query/query.ts";
import type { ServiceOptions } from "./contract.ts";
import { can, type ResourcePolicy } from "./access.ts";
import { jsonOfService, resourceOfService } from "./resource.ts";
import { application, textOf, Visitor } from "./todo-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

const database = sqlite({ url: "sqlite::memory:" });
const teams = Table.make("teams", {
  schema: Schema.record({ name: Schema.string() }),
  columns: { owner_id: Row.uuid },
});
const schema = Schema.record({
  title: Schema.string({ min: 1 }),
  salary: Schema.int({ default: 1 }),
  published: Schema.bool(),
});
const jobs = Table.make("jobs", {
  schema,
  columns: { team_id: Row.uuid, author_id: Row.uuid },
  relations: { team: () => Table.belongsTo(teams) },
  search: { sortBy: ["title"] },
});
type Job = Table.Infer<typeof jobs>;

const teamPolicy = Policy.make(teams, () => ({ see: (user) => ({ owner_id: user.id }) }));
/** The owner of a team sees its jobs, authors change theirs, and published ones are for everybody. */
const policy = Policy.make(
  jobs,
  (is) => ({
    see: is.any(
      is.anyone({ published: true }),
      (user) => ({ author_id: user.id }),
      is.related.team(teamPolicy.rules.see),
    ),
    change: (user) => ({ author_id: user.id }),
    administer: is.related.team(teamPolicy.rules.see),
  }),
  {
    reasons: { change: () => "Only the author changes a job." },
    readable: { salary: "change" },
    writable: { published: "administer" },
  },
);

const [owner, author, stranger] = [{ id: Random.uuid() }, { id: Random.uuid() }, { id: Random.uuid() }];
const access = Policy.access(policy, {
  database,
  actor: (request: Request) => [owner, author, stranger].find(({ id }) => id === request.query.get("as")),
});

/** Service that asks nobody. */
const careless = {
  find: (id: string) => jobs.findOpt(database, id),
  search: async () => [await jobs.collect(database, { orderBy: { title: "asc" } }), 2] as const,
  insert: (input: Schema.Infer<typeof schema>) =>
    attempt(database, () => jobs.insert(database, { ...input, team_id: team, author_id: author.id }), {}),
  update: (id: string, input: Schema.Infer<typeof schema>) =>
    attempt(database, () => jobs.update(database, { id }, input), {}),
  delete: ({ id }: Job) => attempt(database, () => jobs.delete(database, { id }), {}),
};

const userOf = ({ ctx = [] }: ServiceOptions = {}): Policy.User => ({ id: ctx[0]?.[1] ?? "" });
/** Service that asks the policy itself. */
const careful: typeof careless = {
  ...careless,
  find: (id: string, options?: ServiceOptions) => jobs.findOpt(database, [{ id }, policy.where(userOf(options))]),
  search: async (_query?: CompleteQuery, options?: ServiceOptions) =>
    [await jobs.collect(database, { where: policy.where(userOf(options)), orderBy: { title: "asc" } }), 2] as const,
  update: async (id, input, options?: ServiceOptions) => {
    await policy.require(database, userOf(options), "change", id);
    return careless.update(id, input);
  },
};
const ctx = (request: Request): readonly (readonly [string, string])[] => [["user_id", request.query.get("as") ?? ""]];

const pages = {
  texts: { one: "job", many: "jobs" },
  schema,
  labelOf: ({ title }: Job): string => title,
  layout: (_: Request, title: string, content: Html): Html => html`<title>${title}</title>${content}`,
};
const view = {
  index: listPage(pages, { columns: ["title", "salary"] }),
  show: itemPage(pages, { facts: ["title", "salary"] }),
  new: newPage(pages),
  edit: editPage(pages),
};

let team: string;
let secret: Job;
let open: Job;

const options = { name: "jobs", schema, service: careless, policy: access } as const;
const ask = application(jsonOfService(options), Middleware.api(), { scope: "/api" });

/** Returns the status and the body of a request of a user. */
async function send(method: string, path: string, user: { readonly id: string } | undefined, body?: object) {
  const init = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await ask(`/api${path}?as=${user?.id ?? ""}`, { method, ...init });
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

describe("a resource with a policy", () => {
  before(async () => {
    await database.start({ services: [database] });
    for (const text of Table.createStatements([teams, jobs], database.dialect())) {
      await database.exec(sql(Object.assign([text], { raw: [text] })));
    }
  });
  after(() => database.stop());
  beforeEach(async () => {
    await database.exec(sql`delete from jobs`);
    await database.exec(sql`delete from teams`);
    team = (await teams.insert(database, { name: "Rail", owner_id: owner.id })).id;
    const job = { team_id: team, author_id: author.id, salary: 700 };
    secret = await jobs.insert(database, { ...job, title: "Secret", published: false });
    open = await jobs.insert(database, { ...job, title: "Open", published: true });
  });

  test("is 404 for what one may not see, and 403 with the reason for what one may not change", async () => {
    const changes = [
      ["PUT", { title: "x", published: true }],
      ["PATCH", { title: "x" }],
      ["PATCH", {}],
      ["DELETE"],
    ] as const;
    for (const user of [stranger, undefined]) {
      assert.equal((await send("GET", `/jobs/${secret.id}`, user)).status, 404);
      assert.equal((await send("GET", `/jobs/${open.id}`, user)).status, 200);
      for (const [method, body] of changes) {
        assert.equal((await send(method, `/jobs/${secret.id}`, user, body)).status, 404);
        const refused = await send(method, `/jobs/${open.id}`, user, body);
        assert.deepEqual([refused.status, refused.body.detail], [403, "Only the author changes a job."]);
      }
    }
    for (const [method, body] of changes) {
      assert.equal((await send(method, `/jobs/${secret.id}`, owner, body)).status, 403);
    }
    assert.deepEqual(await jobs.collect(database, { orderBy: { title: "asc" } }), [open, secret]);
    assert.equal((await send("PATCH", `/jobs/${secret.id}`, author, { title: "x" })).status, 200);
    assert.equal((await send("DELETE", `/jobs/${secret.id}`, author)).status, 204);
  });

  test("never lists what one may not see, even if its service returns it", async () => {
    const { status, body } = await send("GET", "/jobs", stranger);
    assert.deepEqual([status, JSON.stringify(body).includes("Secret")], [500, false]);
    assert.equal((await send("GET", "/jobs", owner)).body.data.length, 2);
  });

  test("asks each question once", async () => {
    const own = application(jsonOfService({ ...options, service: careful, ctx }), Middleware.api());
    const count = async (path: string, init?: RequestInit): Promise<number> => {
      using queries = capturedQueries();
      assert.ok((await own(`${path}?as=${author.id}`, init)).ok);
      return queries.entries.length;
    };
    assert.equal(await count("/jobs"), 1);
    assert.equal(await count(`/jobs/${secret.id}`), 1);
    const body = { headers: { "content-type": "application/json" }, body: JSON.stringify({ title: "x" }) };
    // The item, `administer` for the field `published`, and the change. The author is a column.
    assert.equal(await count(`/jobs/${secret.id}`, { method: "PATCH", ...body }), 3);
  });

  test("shows links, buttons and forms for what one may do", async () => {
    const visitor = new Visitor(application(resourceOfService({ ...options, view })));
    const list = await textOf(visitor.get(`/jobs?as=${owner.id}`));
    assert.match(list, /Secret/);
    assert.doesNotMatch(list, /\/edit|>Delete</);
    assert.doesNotMatch(await textOf(visitor.get(`/jobs/${secret.id}?as=${owner.id}`)), />Edit</);
    const form = await visitor.get(`/jobs/${secret.id}/edit?as=${owner.id}`);
    assert.deepEqual([form.status, /Only the author/.test(await textOf(form))], [403, true]);
    assert.equal((await visitor.get(`/jobs/${secret.id}/edit?as=${stranger.id}`)).status, 404);

    assert.match(await textOf(visitor.get(`/jobs?as=${author.id}`)), /\/edit"[^]*>Delete</);
    assert.match(await textOf(visitor.get(`/jobs/${secret.id}?as=${author.id}`)), />Edit</);
    const page = `/jobs/${secret.id}/edit?as=${author.id}`;
    const sent = { _method: "put", title: "New", salary: "800" };
    assert.equal((await visitor.submit(page, `/jobs/${secret.id}?as=${owner.id}`, sent)).status, 403);
    assert.equal((await visitor.submit(page, `/jobs/${secret.id}?as=${author.id}`, sent)).status, 303);
    assert.deepEqual(await jobs.find(database, secret.id), { ...secret, title: "New", salary: 800 });
  });

  test("answers a view of its own", async () => {
    const index = async (request: Request, _: string, [items]: readonly [readonly Job[], number]): Promise<Html> => {
      const allows = await can(request, items);
      return html`${items.map((item) => html`<li>${item.title} ${String(allows("destroy", item))}</li>`)}`;
    };
    const visitor = new Visitor(application(resourceOfService({ ...options, view: { ...view, index } })));
    assert.match(await textOf(visitor.get(`/jobs?as=${author.id}`)), /Open true.*Secret true/);
    assert.match(await textOf(visitor.get(`/jobs?as=${owner.id}`)), /Open false.*Secret false/);
  });

  test("leaves out the fields that one may not read", async () => {
    const seen = await send("GET", `/jobs/${open.id}`, stranger);
    assert.deepEqual([seen.body.title, "salary" in seen.body], ["Open", false]);
    assert.equal((await send("GET", `/jobs/${open.id}`, author)).body.salary, 700);
    const { data } = (await send("GET", "/jobs", owner)).body;
    assert.deepEqual(
      data.map((item: object) => "salary" in item),
      [false, false],
    );
    const selected = await ask(`/api/jobs/${open.id}?as=${stranger.id}&fields=salary`);
    assert.deepEqual(await selected.json(), { id: open.id });

    const visitor = new Visitor(application(resourceOfService({ ...options, view })));
    for (const path of ["/jobs", `/jobs/${open.id}`]) {
      assert.match(await textOf(visitor.get(`${path}?as=${author.id}`)), /700/);
      assert.doesNotMatch(await textOf(visitor.get(`${path}?as=${owner.id}`)), /700/);
    }
    const facts = `/jobs/${open.id}`;
    assert.match(await textOf(visitor.get(`${facts}?as=${author.id}`)), /Salary/);
    assert.doesNotMatch(await textOf(visitor.get(`${facts}?as=${owner.id}`)), /Salary/);
    const [row] = await policy.redact(database, stranger, [open]);
    assert.deepEqual(row, Object.fromEntries(Object.entries(open).filter(([name]) => name !== "salary")));
    assert.deepEqual(await policy.redact(database, Policy.system("export"), [open, secret]), [open, secret]);
  });

  test("keeps the fields that one may not write", async () => {
    const path = `/jobs/${secret.id}`;
    assert.equal((await send("PUT", path, author, { title: "a", salary: 2 })).status, 200);
    assert.deepEqual(await jobs.find(database, secret.id), { ...secret, title: "a", salary: 2 });
    // A client may send back what it has read.
    assert.equal((await send("PUT", path, author, { title: "b", salary: 2, published: false })).status, 200);
    for (const method of ["PUT", "PATCH"]) {
      for (const published of [true, "maybe", null]) {
        const { status, body } = await send(method, path, author, { title: "c", salary: 3, published });
        assert.deepEqual([status, body.errors], [422, { published: "You may not change this" }]);
      }
    }
    assert.equal((await jobs.find(database, secret.id)).title, "b");
    const created = await send("POST", "/jobs", author, { title: "New", salary: 1, published: true });
    assert.deepEqual([created.status, created.body.errors], [422, { published: "You may not change this" }]);
    assert.equal((await send("POST", "/jobs", author, { title: "New", salary: 1 })).body.published, false);

    const visitor = new Visitor(application(resourceOfService({ ...options, view })));
    const page = `${path}/edit?as=${author.id}`;
    const form = await textOf(visitor.get(page));
    assert.match(form, /name="salary"/);
    assert.doesNotMatch(form, /name="published"/);
    assert.doesNotMatch(await textOf(visitor.get(`/jobs/new?as=${author.id}`)), /name="published"/);
    const sent = { _method: "put", title: "d", salary: "4" };
    const refused = await visitor.submit(page, `${path}?as=${author.id}`, { ...sent, published: "true" });
    assert.match(await textOf(refused), /You may not change this/);
    assert.equal((await visitor.submit(page, `${path}?as=${author.id}`, sent)).status, 303);
    // With the action that the field needs, everybody who changes the item writes it.
    await database.exec(sql`update teams set owner_id = ${author.id}`);
    assert.equal((await send("PATCH", path, author, { published: true })).status, 200);
    assert.equal((await jobs.find(database, secret.id)).published, true);
  });

  test("checks at the start that the policy has the actions, and that no filter reveals a field", () => {
    const seeing = Policy.make(jobs, () => ({ see: () => true, remove: () => true }));
    const asked = Policy.access(seeing, { database, actor: () => undefined });
    assert.throws(() => jsonOfService({ ...options, policy: asked }), {
      code: "E_RESOURCE_INVALID",
      message: /no action "change", which the action "update" of the resource needs/,
    });
    jsonOfService({ ...options, policy: asked, only: ["index", "show", "create"] });
    assert.throws(() => jsonOfService({ ...options, sortBy: ["title", "salary"] }), /"salary" reveals values/);
    const searched = () => Policy.make(jobs, () => ({ see: () => true }), { readable: { title: "see" } });
    assert.throws(searched, /the search of the table names the field "title"/);
    // @ts-expect-error -- the policy is that of another table
    const other: ResourcePolicy<Job> = Policy.access(teamPolicy, { database, actor: () => undefined });
    // @ts-expect-error -- no such action
    const typo = () => Policy.make(jobs, () => ({ see: () => true }), { readable: { salary: "edit" } });
    assert.throws(typo, { code: "E_POLICY" });
    assert.equal(other.table, "teams");
  });

  test("says who may add items, if it has the action create", async () => {
    const adding = Policy.make(
      jobs,
      (is) => ({ see: is.anyone(), change: is.anyone(), create: (user) => user.id === owner.id }),
      { reasons: { create: () => "Only owners add jobs." } },
    );
    const actor = (request: Request): Policy.User => ({ id: request.query.get("as") ?? "" });
    const own = { ...options, policy: Policy.access(adding, { database, actor }) };
    const pagesOf = application(resourceOfService({ ...own, view }));
    const site = application(jsonOfService(own), Middleware.api());
    const body = {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ title: "x", salary: 1, published: false }),
    };
    const refused = await site(`/jobs?as=${author.id}`, { method: "POST", ...body });
    assert.deepEqual([refused.status, JSON.parse(await refused.text()).detail], [403, "Only owners add jobs."]);
    assert.equal((await pagesOf(`/jobs/new?as=${author.id}`)).status, 403);
    assert.equal((await jobs.collect(database)).length, 2);
    assert.equal((await site(`/jobs?as=${owner.id}`, { method: "POST", ...body })).status, 201);
    assert.equal((await pagesOf(`/jobs/new?as=${owner.id}`)).status, 200);
    assert.throws(() => adding.requireNew(undefined), { code: "E_POLICY_REFUSED" });
    adding.requireNew(Policy.system("import"));
    const asking = Policy.make(jobs, () => ({ see: () => true, create: (user) => ({ author_id: user.id }) }));
    assert.throws(() => asking.requireNew(owner), { code: "E_POLICY", message: /asks about a row/ });
    assert.throws(() => policy.requireNew(owner), { code: "E_POLICY", message: /no action "create"/ });
  });

  test("is described in an API document", async () => {
    const described = choose([...jsonOfService(options), openApi({ title: "Jobs", version: "1.0.0" })]);
    const response = await application([described], [])("/openapi.json");
    const document = JSON.parse(await response.text());
    const { put, get: show, delete: destroy } = document.paths["/jobs/{id}"];
    assert.ok(put.responses["403"] && destroy.responses["403"] && show.responses["403"] === undefined);
    const body = JSON.stringify(put.requestBody.content["application/json"].schema);
    assert.match(body + JSON.stringify(document.components), /"required":\["title"\]/);
  });

  test("is part of the list of guards", async () => {
    const lines: string[] = [];
    const [command] = http({ router: choose(jsonOfService(options)) }).commands;
    await command?.run(["--guards"], { output: { print: (line: string) => void lines.push(line) } } as never);
    assert.match(
      lines.join("\n"),
      /GET +\/jobs\/:id +- +policy jobs\.see\n[^]*DELETE +\/jobs\/:id +- +policy jobs\.change/,
    );
  });
});
