import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { type Context, error, ok, type Result } from "../../core/index.ts";
import { html, type Html } from "../../html/index.ts";
import type { Request } from "../../http/message/request.ts";
import { Schema } from "../../schema/index.ts";
import { type Ask, isolate } from "../application/fetch.test.ts";
import * as Middleware from "../middleware/index.ts";
import { type Link, link } from "../../http/router/link.ts";
import type { choose } from "../../http/router/route.ts";
import type { ResourceParent } from "./access.ts";
import type { Refusal, ResourceView, ServiceOptions } from "./contract.ts";
import { itemPath, listPath } from "./paths.ts";
import { jsonOfService, resourceOfService } from "./resource.ts";
import { singularJsonOfService, singularOfService } from "./singular.ts";
import { application, idOf, site, Visitor } from "./todo-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

interface Issue {
  readonly id: string;
  readonly title: string;
  readonly project_id: string;
  readonly team_id: string;
  readonly user_id: string;
}

const schema = Schema.record({ title: Schema.string({ min: 1 }) });
type Input = Schema.Infer<typeof schema>;

// Project 1 and 2 belong to team 11, and project 3 to team 12.
const [red, blue] = [idOf(11), idOf(12)];
const [first, second, third] = [idOf(1), idOf(2), idOf(3)];
const teamOf: Readonly<Record<string, string>> = { [first]: red, [second]: red, [third]: blue };
const issueOf = (number: number, project_id: string, user_id = "ada"): Issue => ({
  id: idOf(number),
  title: `Issue ${number}`,
  project_id,
  team_id: teamOf[project_id] ?? "",
  user_id,
});

let issues: Issue[];
let received: ServiceOptions[];
beforeEach(() => {
  issues = [issueOf(21, first), issueOf(22, first, "eve"), issueOf(23, second), issueOf(24, third)];
  received = [];
});

interface Options {
  readonly params: { readonly project: string };
}

/** Service that filters by the parent in its list only, to see what the resource checks. */
const service = {
  find: (id: string): Issue | undefined => issues.find((issue) => issue.id === id),
  search: (_: unknown, { params }: Options): readonly [readonly Issue[], number] => {
    const found = issues.filter(({ project_id }) => project_id === params.project);
    return [found, found.length];
  },
  insert: ({ title }: Input, { params }: Options): Result<Issue, Refusal> => {
    const issue = { ...issueOf(30, params.project), title };
    issues.push(issue);
    return ok(issue);
  },
  update: (id: string, { title }: Input, options?: ServiceOptions): Result<Issue, Refusal> => {
    received.push(options ?? {});
    const issue = { ...(service.find(id) as Issue), title };
    issues = issues.map((other) => (other.id === id ? issue : other));
    return ok(issue);
  },
  delete: (issue: Issue, options?: ServiceOptions): Result<undefined> => {
    received.push(options ?? {});
    if (issue.title === "kept") return error("This one stays");
    issues = issues.filter(({ id }) => id !== issue.id);
    return ok();
  },
};

const findProject = ({ project }: { readonly project: string }): string | undefined => teamOf[project];
const nested = {
  path: "/projects/:project",
  find: findProject,
  of: ({ project_id }: Issue) => ({ project: project_id }),
} as const;
const deep = {
  path: "/teams/:team/projects/:project",
  find: ({ team, project }: { readonly team: string; readonly project: string }) =>
    teamOf[project] === team || undefined,
  of: ({ project_id }: Issue) => ({ project: project_id }),
} as const;

const json =
  (ask: Ask) =>
  async (method: string, path: string, body?: unknown, headers: object = {}) => {
    const init = {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    };
    const response = await ask(path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
    const text = await response.text();
    const content = text.startsWith("{") ? JSON.parse(text) : undefined;
    return { status: response.status, body: content, headers: response.headers };
  };

describe("a nested resource", () => {
  const send = json(
    application(jsonOfService({ name: "issues", schema, service, parent: nested }), Middleware.api(), {
      scope: "/api",
    }),
  );
  const list = `/api/projects/${first}/issues`;

  test("lists, creates, shows, changes and deletes the items of its parent", async () => {
    const { body } = await send("GET", list);
    assert.deepEqual([body.total, body.data.length], [2, 2]);
    const created = await send("POST", list, { title: "New" });
    assert.deepEqual([created.status, created.headers.get("location")], [201, `${list}/${idOf(30)}`]);
    assert.equal(issues.at(-1)?.project_id, first);
    assert.equal((await send("GET", `${list}/${idOf(21)}`)).body.title, "Issue 21");
    assert.equal((await send("PATCH", `${list}/${idOf(21)}`, { title: "Changed" })).status, 200);
    assert.equal((await send("DELETE", `${list}/${idOf(21)}`)).status, 204);
    assert.deepEqual(received, [{ params: { project: first } }, { params: { project: first } }]);
  });

  test("is 404 for an item of another parent, and for a missing or malformed parent, on every route", async () => {
    const before = [...issues];
    const bad = [second, idOf(99), "x", "1", "%20", `${first}%20`, "constructor"];
    for (const project of bad) {
      const item = `/api/projects/${project}/issues/${idOf(21)}`;
      for (const [method, path, body] of [
        ["GET", item],
        ["PUT", item, { title: "x" }],
        ["PATCH", item, { title: "x" }],
        ["DELETE", item],
      ] as const) {
        assert.equal((await send(method, path, body)).status, 404, `${method} ${path}`);
      }
      if (project === second) continue;
      assert.equal((await send("GET", `/api/projects/${project}/issues`)).status, 404, project);
      assert.equal((await send("POST", `/api/projects/${project}/issues`, { title: "x" })).status, 404, project);
    }
    assert.deepEqual([issues, received], [before, []]);
  });

  test("takes the identifiers of parents in any letter case", async () => {
    const { body } = await send(
      "GET",
      list.toUpperCase().replace("/API/PROJECTS", "/api/projects").replace("ISSUES", "issues"),
    );
    assert.equal(body.total, 2);
  });

  test("never shows items of another parent, even if its service returns them", async () => {
    const search = (): readonly [readonly Issue[], number] => [issues, issues.length];
    const insert = (): Result<Issue, Refusal> => ok(issueOf(30, second));
    const careless = application(
      jsonOfService({ name: "issues", schema, service: { search, insert }, parent: nested, only: ["index", "create"] }),
      Middleware.api(),
    );
    assert.equal((await careless(`/projects/${first}/issues`)).status, 500);
    assert.equal((await json(careless)("POST", `/projects/${first}/issues`, { title: "x" })).status, 500);
  });

  test("is 404 for a parent that is not found, and for an item that does not say its parent", async () => {
    for (const [found, implied, status] of [
      [true, { project: first }, 200],
      [undefined, { project: first }, 404],
      [null, { project: first }, 404],
      [false, { project: first }, 404],
      [true, {}, 404],
      [true, { project: undefined }, 404],
      [true, { team: red }, 404],
      [true, { project: first, team: blue }, 200],
    ] as const) {
      const parent = { path: "/projects/:project", find: () => found, of: () => implied as { project: string } };
      const options = { name: "issues", schema, service: { find: service.find }, parent, only: ["show"] } as const;
      const ask = application(jsonOfService(options), Middleware.api());
      assert.equal(
        (await ask(`/projects/${first}/issues/${idOf(21)}`)).status,
        status,
        JSON.stringify([found, implied]),
      );
    }
  });

  test("accepts typed parameters and other identifiers", async () => {
    const found: unknown[] = [];
    const numbered = {
      path: "/teams/:team/projects/:number<int>",
      find: ({ team, number }: { readonly team: string; readonly number: string }) => found.push([team, number]),
      of: () => ({ number: "7" }),
      isId: (team: string) => team === "red",
    } as const;
    const ask = application(
      jsonOfService({ name: "issues", schema, service: { find: service.find }, parent: numbered, only: ["show"] }),
      Middleware.api(),
    );
    const status = async (path: string): Promise<number> => (await ask(`${path}/issues/${idOf(21)}`)).status;
    assert.equal(await status("/teams/red/projects/7"), 200);
    assert.deepEqual(found, [["red", "7"]]);
    assert.equal(await status("/teams/red/projects/8"), 404);
    assert.equal(await status("/teams/red/projects/x"), 404);
    assert.equal(await status("/teams/green/projects/7"), 404);
  });
});

test("a resource below several parents is 404 if these do not belong to each other", async () => {
  const send = json(application(jsonOfService({ name: "issues", schema, service, parent: deep }), Middleware.api()));
  for (const [team, project, issue, status] of [
    [red, first, 21, 200],
    [red, first, 23, 404],
    [red, second, 23, 200],
    [blue, first, 21, 404],
    [red, third, 24, 404],
    [blue, third, 24, 200],
    [blue, third, 21, 404],
    [first, red, 21, 404],
  ] as const) {
    const list = `/teams/${team}/projects/${project}/issues`;
    assert.equal((await send("GET", `${list}/${idOf(issue)}`)).status, status, `${team} ${project} ${issue}`);
    assert.equal((await send("PATCH", `${list}/${idOf(issue)}`, { title: "x" })).status, status);
    assert.equal((await send("GET", list)).status, teamOf[project] === team ? 200 : 404);
  }
});

const page = (request: Request, issue: Issue): Html => html`${listPath(request)} ${itemPath(request, issue.id)}`;
const view: ResourceView<Issue> = {
  index: (request, csrf, [items]) =>
    html`<input name="csrf" value="${csrf}" />${listPath(request)} ${items.map(({ id }) => itemPath(request, id))}`,
  new: (request, csrf) => html`<input name="csrf" value="${csrf}" />${listPath(request)}`,
  show: page,
  edit: (request, csrf, _, issue) => html`<input name="csrf" value="${csrf}" />${page(request, issue)}`,
};

describe("a shallow resource", () => {
  const parent = { ...nested, of: ({ project_id }: Issue) => ({ project: project_id }) };
  const routers = resourceOfService({ name: "issues", schema, service, view, parent, shallow: true });
  const list = `/api/projects/${first}/issues`;
  const item = `/api/issues/${idOf(21)}`;
  const stand = (): { ask: Ask; visitor: Visitor } => {
    const ask = application(routers, site, { scope: "/api" });
    return { ask, visitor: new Visitor(ask) };
  };
  const textOf = async (ask: Ask, path: string): Promise<string> =>
    (await (await ask(path)).text()).replace(/<[^>]*>/, "");

  test("has its list below the parents, and its items not", async () => {
    const { ask } = stand();
    assert.equal(await textOf(ask, list), `${list} ${item}/api/issues/${idOf(22)}`);
    assert.equal(await textOf(ask, `${list}/new`), list);
    assert.equal(await textOf(ask, item), `${list} ${item}`);
    assert.equal(await textOf(ask, `${item}/edit`), `${list} ${item}`);
    for (const path of [`${list}/${idOf(21)}`, "/api/issues", "/api/issues/new"])
      assert.equal((await ask(path)).status, 404, path);
  });

  test("redirects to the list of the item's parent, and passes it to the service", async () => {
    const { ask, visitor } = stand();
    const created = await visitor.submit(`${list}/new`, list, { title: "New" });
    assert.deepEqual([created.status, created.headers.get("location")], [303, list]);
    const updated = await visitor.submit(`${list}/new`, item, { _method: "put", title: "Changed" });
    assert.deepEqual([updated.status, updated.headers.get("location")], [303, item]);
    const deleted = await visitor.submit(`${list}/new`, item, { _method: "delete" });
    assert.deepEqual([deleted.status, deleted.headers.get("location")], [303, list]);
    assert.deepEqual(received, [{ params: { project: first } }, { params: { project: first } }]);
    const posted = await json(ask)("POST", list, { title: "x" }, { accept: "application/json" });
    assert.equal(posted.status, 403);
    const api = application(jsonOfService({ name: "issues", schema, service, parent, shallow: true }), []);
    const { headers } = await json(api)("POST", `/projects/${first}/issues`, { title: "x" });
    assert.equal(headers.get("location"), `/issues/${idOf(30)}`);
  });

  test("is 404 for an item whose parent is missing", async () => {
    issues.push(issueOf(25, idOf(99)));
    const { ask, visitor } = stand();
    assert.equal((await ask(`/api/issues/${idOf(25)}`)).status, 404);
    const deleted = await visitor.submit(`${list}/new`, `/api/issues/${idOf(25)}`, { _method: "delete" });
    assert.deepEqual([deleted.status, received], [404, []]);
  });

  test("has typed links", () => {
    const typed: Link<ReturnType<typeof choose<typeof routers>>> = link;
    // Only the types: a request is needed to run them.
    const links = (request: Parameters<typeof link>[0]): void => {
      typed(request, "issues.index", { project: first });
      typed(request, "issues.show", { id: first });
      // @ts-expect-error -- the project is missing
      typed(request, "issues.create");
      // @ts-expect-error -- the item has no parent in its path
      typed(request, "issues.show", { project: first });
    };
    assert.equal(typeof links, "function");
  });
});

test("a parent with a wrong path is refused at start", () => {
  const { find } = service;
  const wrong = [
    "projects/:project",
    "/projects",
    "/projects/:id",
    "/",
    "/projects/:project?",
    "/p/*rest",
    "/:a//b",
    "/p:a",
  ];
  for (const path of wrong) {
    const parent: ResourceParent<Issue> = { path, find: () => "project", of: () => ({}) };
    assert.throws(
      () => jsonOfService({ name: "issues", schema, service: { find }, only: ["show"], parent }),
      { code: "E_RESOURCE_INVALID" },
      path,
    );
  }
  assert.throws(() => jsonOfService({ name: "issues", schema, service: { find }, only: ["show"], shallow: true }), {
    code: "E_RESOURCE_INVALID",
  });
});

test("types of views and services know the parameters of the parent", () => {
  const typed = (): void => {
    resourceOfService({
      name: "issues",
      schema,
      service: { find: (id: string, { params }) => service.find(id + params.project) },
      view: { show: (request) => html`${request.params.project}${request.params.id}` },
      parent: nested,
      only: ["show"],
    });
    jsonOfService({
      name: "issues",
      schema,
      // @ts-expect-error -- the parent has no such parameter
      service: { find: (id: string, { params }) => service.find(id + params.team) },
      parent: nested,
      only: ["show"],
    });
    // @ts-expect-error -- a shallow item implies all parameters
    jsonOfService({ name: "issues", schema, service, parent: deep, shallow: true });
  };
  assert.equal(typeof typed, "function");
});

describe("a singular resource", () => {
  let profile: Issue | undefined;
  beforeEach(() => {
    profile = issueOf(1, first);
  });
  class Profiles {
    readonly calls: unknown[] = [];
    find(options?: ServiceOptions): Issue | undefined {
      this.calls.push(options);
      return profile;
    }
    insert({ title }: Input): Result<Issue, Refusal> {
      if (profile !== undefined) return error("There is one already");
      return ok((profile = { ...issueOf(1, first), title }));
    }
    update(id: string, { title }: Input): Result<Issue, Refusal> {
      this.calls.push(id);
      return ok((profile = { ...(profile as Issue), title }));
    }
    delete(): Result<undefined> {
      profile = undefined;
      return ok();
    }
  }

  test("has no list and no identifier", async () => {
    const profiles = new Profiles();
    const routers = singularOfService({ name: "profile", schema, view, service: profiles });
    const ask = application(routers, site, { scope: "/me" });
    const visitor = new Visitor(ask);
    assert.match(await (await ask("/me/profile")).text(), /^\/me\/profile /);
    assert.equal((await ask("/me/profile/edit")).status, 200);
    const updated = await visitor.submit("/me/profile/new", "/me/profile", { _method: "put", title: "Changed" });
    assert.deepEqual(
      [updated.status, updated.headers.get("location"), profile?.title],
      [303, "/me/profile", "Changed"],
    );
    assert.deepEqual(profiles.calls.at(-1), idOf(1));
    const deleted = await visitor.submit("/me/profile/new", "/me/profile", { _method: "delete" });
    assert.deepEqual([deleted.status, deleted.headers.get("location"), profile], [303, "/", undefined]);
    for (const path of ["/me/profile", "/me/profile/edit", `/me/profile/${idOf(1)}`, `/me/profile/${idOf(1)}/edit`])
      assert.equal((await ask(path)).status, 404, path);
    const created = await visitor.submit("/me/profile/new", "/me/profile", { title: "New" });
    assert.deepEqual([created.status, created.headers.get("location")], [303, "/me/profile"]);
    const again = await visitor.submit("/me/profile/new", "/me/profile", { title: "New" });
    assert.equal(again.status, 422);
  });

  test("answers with JSON", async () => {
    const routers = singularJsonOfService({ name: "profile", schema, service: new Profiles() });
    const send = json(application(routers, Middleware.api()));
    assert.equal((await send("GET", "/profile")).body.title, "Issue 1");
    assert.equal((await send("PATCH", "/profile", { title: "x" })).body.title, "x");
    assert.equal((await send("DELETE", "/profile")).status, 204);
    assert.equal((await send("GET", "/profile")).status, 404);
    const created = await send("POST", "/profile", { title: "New" });
    assert.deepEqual([created.status, created.headers.get("location")], [201, "/profile"]);
    assert.equal((await send("GET", `/profile/${idOf(1)}`)).status, 404);
  });

  test("can belong to a user or a parent", async () => {
    const profiles = new Profiles();
    const ctx = (): Context => [["user_id", "eve"]];
    const own = application(singularJsonOfService({ name: "profile", schema, service: profiles, ctx }), []);
    assert.equal((await own("/profile")).status, 200);
    assert.deepEqual(profiles.calls, [{ ctx: [["user_id", "eve"]] }]);
    const options = {
      name: "settings",
      schema,
      service: { find: () => profile },
      parent: nested,
      only: ["show"],
    } as const;
    const below = application(singularJsonOfService(options), []);
    assert.equal((await below(`/projects/${first}/settings`)).status, 200);
    assert.equal((await below(`/projects/${second}/settings`)).status, 404);
  });

  test("has only the listed routes", async () => {
    const { find } = { find: () => profile };
    const ask = application(
      singularOfService({ name: "profile", schema, service: { find }, view: { show: page }, only: ["show"] }),
      site,
    );
    assert.deepEqual(
      [(await ask("/profile")).status, (await ask("/profile/edit")).status, (await ask("/profile/new")).status],
      [200, 404, 404],
    );
    const options = { name: "profile", schema, service: { find }, view: { show: page } } as const;
    // @ts-expect-error -- there is no list
    singularOfService({ ...options, only: ["show", "index"] });
  });
});
