// Sends generated requests to the tracker, and compares its responses with its OpenAPI document.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import * as fc from "fast-check";
import { type App, Configuration, type Context, Log, type Migration, type Token } from "limmat";
import type { Database } from "limmat/database";
import { rolledBack } from "limmat/testing";
import { assertDocument, type Document } from "../../src/web/openapi/document-checker.test.ts";
import { assertDescribed, type KnownValues, requestsOf } from "./requests.ts";
import { root } from "../sources.ts";

interface Options {
  readonly ctx?: Context;
  readonly params?: Readonly<Record<string, string>>;
}

interface Factory {
  readonly context: () => Promise<Options>;
  readonly make: (changes: object, options: Options) => Promise<{ readonly id: string; readonly version: number }>;
}

// Imported by path, so that the type check treats the example as a separate project.
const load = <T>(path: string): Promise<T> => import(join(root, "examples/tracker", path)) as Promise<T>;

/** Number of requests with one token, below the limit of the API. */
const requestsPerToken = 90;

/** Responses of which a thousand requests get many. */
const frequentKinds = kindsOf("valid 200 201 204 404 412", "broken 400 401 404 412 422");

/** Responses of which a thousand requests get few. */
const rareKinds = kindsOf("valid 304 409 422 428", "broken 409 413 415 428");

/** Returns the kinds of responses: `valid 200`. */
function kindsOf(...lists: readonly string[]): readonly string[] {
  return lists.flatMap((list) => {
    const [validity = "", ...statuses] = list.split(" ");
    return statuses.map((status) => `${validity} ${status}`);
  });
}

/** Defines the test of so many requests. */
export async function testTracker(runs: number): Promise<void> {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  Log.configure({ reporters: [] });
  const { app } = await load<{ readonly app: App.Application }>("run/run.ts");
  const { database, migration, token } = await load<{
    readonly database: Database;
    readonly migration: Migration.MigrationService;
    readonly token: Token.TokenService;
  }>("service/service.ts");

  before(async () => {
    await app.start({ server: false });
    await migration.runAll();
  });
  after(() => app.stop());

  /** Stores a team with a project, labels, an issue and a comment. */
  async function makeKnownValues(): Promise<KnownValues> {
    const factoryOf = (name: string): Promise<Factory> => load(`test/factory/${name}.ts`);
    const [teams, projects, labels, issues, comments] = (await Promise.all(
      ["team", "project", "label", "issue", "comment"].map(factoryOf),
    )) as [Factory, Factory, Factory, Factory, Factory];
    const user = await teams.context();
    const owner = new Map(user.ctx).get("user_id") ?? "";
    const team = await teams.make({}, user);
    const project = await projects.make({}, { ...user, params: { team: team.id } });
    const inProject = { ...user, params: { project: project.id } };
    const label = await labels.make({}, inProject);
    const issue = await issues.make({ assignee_id: owner, label_ids: [label.id] }, inProject);
    const comment = await comments.make({}, { ...user, params: { issue: issue.id } });
    return {
      paths: {
        "/api/teams/{id}": [team.id],
        "/api/teams/{team}/projects": [team.id],
        "/api/projects/{id}": [project.id],
        "/api/projects/{project}/labels": [project.id],
        "/api/projects/{project}/issues": [project.id],
        "/api/labels/{id}": [label.id],
        "/api/issues/{id}": [issue.id, issue.id.toUpperCase()],
        "/api/issues/{issue}/comments": [issue.id],
        "/api/comments/{id}": [comment.id],
      },
      properties: {
        title: ["Login fails"],
        assignee_id: [owner],
        label_ids: [[label.id], []],
        version: [issue.version],
      },
      tags: [...new Set([team, project, label, issue, comment].map(({ version }) => `"${version}"`))],
    };
  }

  test(`${runs} generated requests get responses that the document describes`, async (context) => {
    const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
    context.diagnostic(`SEED=${seed}`);
    const known = await makeKnownValues();
    const owner = String(known.properties["assignee_id"]?.[0]);
    const tokens = await Promise.all(
      Array.from({ length: Math.ceil(runs / requestsPerToken) }, () => token.create({}, { purpose: "api", owner })),
    );
    let count = 0;
    const document = (await (await app.request("/openapi.json")).json()) as Document;
    assertDocument(document);
    const counts = new Map<string, number>();
    const property = fc.asyncProperty(requestsOf(document, known), async (request) => {
      const { operation, target, headers, body, broken } = request;
      const authorization = `Bearer ${tokens[Math.floor(count++ / requestsPerToken) % tokens.length]}`;
      const init = {
        method: operation.split(" ")[0] ?? "",
        headers: { authorization, ...headers },
        ...(body === undefined ? {} : { body }),
      };
      const response = await rolledBack(database, () => app.request(target, init));
      const { status } = response;
      await assertDescribed(document, operation, response);
      if (broken === undefined) assert.ok(![400, 413, 415].includes(status), `${status}: a valid request is refused`);
      if (/^(?:body|parameter|twice)/.test(broken ?? "")) assert.ok(status >= 400, `${status}: ${broken} is accepted`);
      const kind = `${broken === undefined ? "valid" : "broken"} ${status}`;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    });
    await fc.assert(property, { numRuns: runs, seed });
    context.diagnostic(JSON.stringify(Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))));
    const kinds = runs < 10_000 ? frequentKinds : [...frequentKinds, ...rareKinds];
    assert.deepEqual(
      kinds.filter((kind) => !counts.has(kind)),
      [],
    );
  });

  test("a request above the limit gets the response that the document describes", async () => {
    const { ctx } = await (await load<Factory>("test/factory/team.ts")).context();
    const owner = new Map(ctx).get("user_id") ?? "";
    const authorization = `Bearer ${await token.create({}, { purpose: "api", owner })}`;
    const document = (await (await app.request("/openapi.json")).json()) as Document;
    const [target, headers] = ["/api/teams", { authorization }];
    let response = await app.request(target, { headers });
    for (let count = 0; count < 150 && response.status === 200; count += 1) {
      response = await app.request(target, { headers });
    }
    assert.equal(response.status, 429);
    await assertDescribed(document, `GET ${target}`, response);
  });
}
