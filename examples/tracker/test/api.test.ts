import assert from "node:assert/strict";
import * as Activity from "../app/domain/activity/activity.ts";
import { actingUser } from "../app/domain/acting-user.ts";
import * as IssueFactory from "./factory/issue.ts";
import * as LabelFactory from "./factory/label.ts";
import * as ProjectFactory from "./factory/project.ts";
import * as TeamFactory from "./factory/team.ts";
import { app } from "../run/run.ts";
import { token } from "../service/service.ts";
import { test, useServices } from "./setup.ts";

useServices();

interface Body {
  readonly id: string;
  readonly version: number;
  readonly total: number;
  readonly data: readonly { readonly title: string; readonly labels: readonly { readonly name: string }[] }[];
}

test("a member opens, finds and closes an issue, and the project records it", async () => {
  const creator = await TeamFactory.context();
  const team = await TeamFactory.make({}, creator);
  const project = await ProjectFactory.make({}, { ...creator, params: { team: team.id } });
  const inProject = { ...creator, params: { project: project.id } };
  await IssueFactory.make({}, inProject);
  const label = await LabelFactory.make({ name: "bug" }, inProject);
  const owner = actingUser({ ctx: await TeamFactory.join(team.id, "member") }).id;
  const authorization = `Bearer ${await token.create({}, { purpose: "api", owner })}`;
  const send = async (method: string, path: string, body?: object): Promise<readonly [number, Body]> => {
    const headers = { authorization, "content-type": "application/json" };
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await app.request(`/api${path}`, { method, headers, ...json });
    return [response.status, (await response.json()) as Body];
  };

  const list = `/projects/${project.id}/issues`;
  const [created, issue] = await send("POST", list, { title: "Login fails", state: "open", label_ids: [label.id] });
  assert.equal(created, 201);
  const [, found] = await send("GET", `${list}?labels=${label.id}&filter=login&sort=-created_at,title&include=labels`);
  assert.deepEqual(
    found.data.map(({ title, labels }) => [title, labels.map(({ name }) => name)]),
    [["Login fails", ["bug"]]],
  );
  assert.equal((await send("PATCH", `/issues/${issue.id}`, { state: "closed" }))[0], 428);
  assert.equal((await send("PATCH", `/issues/${issue.id}`, { state: "closed", version: issue.version }))[0], 200);
  assert.equal((await send("PATCH", `/issues/${issue.id}`, { state: "open", version: issue.version }))[0], 409);
  assert.equal((await send("POST", `/issues/${issue.id}/comments`, { text: "Fixed" }))[0], 201);

  const [records] = await Activity.search({ filterBy: { actor_id: owner } }, inProject);
  assert.deepEqual(
    new Set(records.map(({ event, subject }) => `${event} ${subject}`)),
    new Set(["closed", "commented", "opened"].map((event) => `${event} Login fails`)),
  );
});

test("the API is closed without a token, and to people of other teams", async () => {
  const issue = await IssueFactory.make();
  assert.equal((await app.request(`/api/issues/${issue.id}`)).status, 401);
  const owner = actingUser({ ctx: await IssueFactory.newUserContext() }).id;
  const authorization = `Bearer ${await token.create({}, { purpose: "api", owner })}`;
  assert.equal((await app.request(`/api/issues/${issue.id}`, { headers: { authorization } })).status, 404);
});

test("the OpenAPI document lists the operations with their authentication", async () => {
  const { paths } = (await (await app.request("/openapi.json")).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly security: unknown }>>>>;
  };
  assert.deepEqual(Object.keys(paths).sort(), [
    "/api/comments/{id}",
    "/api/issues/{id}",
    "/api/issues/{issue}/comments",
    "/api/labels/{id}",
    "/api/projects/{id}",
    "/api/projects/{project}/issues",
    "/api/projects/{project}/labels",
    "/api/teams",
    "/api/teams/{id}",
    "/api/teams/{team}/projects",
  ]);
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    assert.deepEqual(operation.security, [{ bearer: [] }]);
  }
});
