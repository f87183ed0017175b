import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { error } from "../../core/index.ts";
import { html } from "../../html/index.ts";
import { Schema } from "../../schema/index.ts";
import { isolate } from "../application/fetch.test.ts";
import type { Conflict, ResourceView } from "./contract.ts";
import { resourceOfService } from "./resource.ts";
import { application, idOf, site, textOf, Visitor } from "./todo-fixture.test.ts";
import { type Issue, Issues, schema, view } from "./version-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

const path = `/issues/${idOf(1)}`;

function stand(pages: ResourceView<Issue> = view): { readonly issues: Issues; readonly visitor: Visitor } {
  const issues = new Issues(3);
  const routers = resourceOfService({ name: "issues", schema, service: issues, view: pages });
  return { issues, visitor: new Visitor(application(routers, site)) };
}

const mine = { _method: "put", version: "3", title: "Mine", note: "", labels: "a" };

/** Names and values of the inputs of a page, without the token. */
function inputsOf(page: string): string[] {
  const tags = [...page.matchAll(/<input ([^>]*)>/g)].map(([, attributes = ""]) => attributes);
  const valueOf = (tag: string, name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  return tags
    .filter((tag) => !tag.includes('name="csrf"'))
    .map((tag) => `${valueOf(tag, "type")} ${valueOf(tag, "name")}=${valueOf(tag, "value")}`);
}

const choicesOf = (name: string): string[] => ["sent", "stored"].map((value) => `radio _choice.${name}=${value}`);

describe("a form with the version of its item", () => {
  test("changes and deletes the item if the version is current", async () => {
    const { issues, visitor } = stand();
    const saved = await visitor.submit(`${path}/edit`, path, mine);
    assert.deepEqual([saved.status, saved.headers.get("etag")], [303, '"4"']);
    assert.deepEqual([issues.first.title, issues.first.version], ["Mine", 4]);
    assert.equal((await visitor.submit(`${path}/edit`, path, { _method: "delete", version: "4" })).status, 303);
    assert.deepEqual(issues.calls, [{ version: 3 }, { version: 4 }]);
    assert.equal(issues.items.size, 0);
  });

  test("keeps the item and its version if it has no field, or the stored values are to be kept", async () => {
    const { issues, visitor } = stand();
    const choice = { title: "Mine", "_choice.title": "stored" };
    for (const fields of [{}, choice]) {
      const saved = await visitor.submit(`${path}/edit`, path, { _method: "patch", version: "3", ...fields });
      assert.deepEqual([saved.status, saved.headers.get("etag")], [303, '"3"']);
    }
    assert.deepEqual([issues.first.title, issues.first.version, issues.calls], ["Bug", 3, []]);
  });

  test("is needed for a change (428), but not for a deletion", async () => {
    const { issues, visitor } = stand();
    const { version: _, ...withoutVersion } = mine;
    const refused = await visitor.submit(`${path}/edit`, path, withoutVersion);
    assert.deepEqual([refused.status, issues.first.title], [428, "Bug"]);
    assert.equal((await visitor.submit(`${path}/edit`, path, { _method: "delete" })).status, 303);
  });

  test("leads to a page with both versions if someone else was faster", async () => {
    const { issues, visitor } = stand();
    issues.changeMeanwhile({ title: "Theirs", note: "line\nbreak", assignee_id: "<eve>" });
    const response = await visitor.submit(`${path}/edit`, path, { ...mine, done: "on", secret: "12.34" });
    const page = await textOf(response);
    assert.equal(response.status, 409);
    assert.deepEqual([issues.first.title, issues.first.version, issues.calls], ["Theirs", 4, []]);
    assert.deepEqual(inputsOf(page), [
      "hidden _method=patch",
      "hidden version=4",
      "hidden title=Mine",
      ...choicesOf("title"),
      "hidden note=",
      ...choicesOf("note"),
      "hidden done=true",
      ...choicesOf("done"),
      "hidden assignee_id=",
      ...choicesOf("assignee_id"),
    ]);
    for (const text of [">Issue has changed<", ">Mine<", ">Theirs<", ">line\nbreak<", ">Yes<", ">No<", ">(empty)<"])
      assert.ok(page.includes(text), `${text} in ${page}`);
    assert.ok(page.includes("<legend>Assignee<") && page.includes("&lt;eve&gt;"), page);
    assert.ok(page.includes("must be entered again: Secret."), page);
    assert.doesNotMatch(page, /12\.34|<script/);
    assert.match(page, /<link rel="icon" href="data:,">/);
    // Every radio button has a label around it, and its group a legend. One of each has to be chosen.
    assert.equal(page.match(/<label class="choice"><input type="radio"[^>]* required>/g)?.length, 8);
    assert.equal(page.match(/<fieldset class="card choices"><legend>/g)?.length, 4);
  });

  test("keeps what the person chooses, field by field", async () => {
    const { issues, visitor } = stand();
    issues.changeMeanwhile({ title: "Theirs", note: "Theirs", labels: ["b", "c"], done: true });
    await visitor.submit(`${path}/edit`, path, { ...mine, note: "Mine" });
    const chosen = await visitor.submit(`${path}/edit`, path, {
      _method: "patch",
      version: "4",
      title: "Mine",
      "_choice.title": "sent",
      note: "Mine",
      "_choice.note": "stored",
      labels: "",
      "labels.0": "a",
      "_choice.labels": "sent",
      done: "false",
      "_choice.done": "stored",
    });
    assert.equal(chosen.status, 303);
    const { title, note, labels, done, version } = issues.first;
    assert.deepEqual([title, note, labels, done, version], ["Mine", "Theirs", ["a"], true, 5]);
  });

  test("leads to another conflict if there is a third change before the choice", async () => {
    const { issues, visitor } = stand();
    issues.changeMeanwhile({ title: "Theirs" });
    await visitor.submit(`${path}/edit`, path, mine);
    issues.changeMeanwhile({ note: "Third" });
    const choice = { _method: "patch", version: "4", title: "Mine", "_choice.title": "sent" };
    const again = await visitor.submit(`${path}/edit`, path, choice);
    assert.equal(again.status, 409);
    assert.deepEqual(inputsOf(await textOf(again)).slice(1, 3), ["hidden version=5", "hidden title=Mine"]);
    assert.deepEqual([issues.first.title, issues.first.note], ["Theirs", "Third"]);
    assert.equal((await visitor.submit(`${path}/edit`, path, { ...choice, version: "5" })).status, 303);
    assert.deepEqual([issues.first.title, issues.first.note], ["Mine", "Third"]);
  });

  test("is a conflict, too, if the item changes while the form is processed", async () => {
    const { issues, visitor } = stand();
    issues.beforeChange = () => issues.changeMeanwhile({ title: "Theirs" });
    const response = await visitor.submit(`${path}/edit`, path, mine);
    assert.deepEqual([response.status, issues.first.title], [409, "Theirs"]);
    issues.beforeChange = () => {};
    assert.equal((await visitor.submit(`${path}/edit`, path, { _method: "delete", version: "3" })).status, 409);
    assert.equal(issues.items.size, 1);
  });

  test("never changes the item for a version that is not its own", async () => {
    const { issues, visitor } = stand();
    for (const version of ["", "0", "-3", "03", "3.0", "+3", " 3", "3e0", "NaN", "Infinity", "1".repeat(400), "４"]) {
      const response = await visitor.submit(`${path}/edit`, path, { ...mine, version });
      assert.equal(response.status, 409, version);
    }
    const repeated = new URLSearchParams({ ...mine, csrf: await visitor.token(`${path}/edit`) });
    repeated.append("version", "3");
    assert.equal((await visitor.send(path, { method: "POST", body: repeated })).status, 409);
    assert.deepEqual([issues.first.title, issues.calls], ["Bug", []]);
  });

  test("leads to a page that deletes only what it shows", async () => {
    const { issues, visitor } = stand();
    issues.changeMeanwhile({ title: "Theirs", secret: "12.34" });
    const response = await visitor.submit(`${path}/edit`, path, { _method: "delete", version: "3" });
    const page = await textOf(response);
    assert.equal(response.status, 409);
    for (const shown of [
      "<dt>Title</dt><dd>Theirs</dd>",
      "<dt>Labels</dt><dd>1: a</dd>",
      "<dt>Note</dt><dd>(empty)</dd>",
    ])
      assert.ok(page.includes(shown), page);
    assert.doesNotMatch(page, /12\.34|secret/i);
    assert.deepEqual(inputsOf(page), ["hidden _method=delete", "hidden version=4"]);
    assert.equal((await visitor.submit(`${path}/edit`, path, { _method: "delete", version: "4" })).status, 303);
  });

  test("shows invalid input in a conflict as it was sent", async () => {
    const { issues, visitor } = stand();
    issues.changeMeanwhile({ note: "Theirs" });
    const page = await textOf(visitor.submit(`${path}/edit`, path, { ...mine, title: "" }));
    assert.ok(inputsOf(page).includes("hidden title="), page);
    assert.ok(page.includes("Choose for each field which value to keep."), page);
    assert.ok(page.includes("<button>Save the chosen values</button>"), page);
    const invalid = { _method: "patch", version: "4", title: "", "_choice.title": "sent" };
    assert.equal((await visitor.submit(`${path}/edit`, path, invalid)).status, 422);
    assert.equal(issues.first.title, "Bug");
  });

  test("says so if both versions are the same", async () => {
    const { issues, visitor } = stand();
    issues.changeMeanwhile({ title: "Mine" });
    const page = await textOf(visitor.submit(`${path}/edit`, path, mine));
    assert.ok(page.includes("Your version and the stored one are the same."), page);
    assert.deepEqual(inputsOf(page), ["hidden _method=patch", "hidden version=4"]);
    assert.doesNotMatch(page, /Choose for each field|Save the chosen/);
  });

  test("does not take other line breaks for a change", async () => {
    const { issues, visitor } = stand();
    issues.changeMeanwhile({ note: "one\ntwo", title: "Mine" });
    const page = await textOf(visitor.submit(`${path}/edit`, path, { ...mine, note: "one\r\ntwo" }));
    assert.ok(page.includes("Your version and the stored one are the same."), page);
    const form = { ...mine, note: "one\r\n\r\ntwo" };
    assert.ok((await textOf(visitor.submit(`${path}/edit`, path, form))).includes(">one\n\ntwo<"));
  });
});

test("a conflict shows lists and nested records in lines, and the words of names", async () => {
  const order = Schema.record({
    title: Schema.string({ min: 1 }),
    lines: Schema.list(Schema.record({ article: Schema.string(), size: Schema.record({ unit: Schema.string() }) })),
    isPaid: Schema.bool(),
    sent_on: Schema.optional(Schema.string()),
    id_of_parent: Schema.string(),
  });
  const stored = {
    id: idOf(1),
    version: 2,
    title: "Order",
    lines: [
      { article: "Milk", size: { unit: "l" } },
      { article: "Room 12", size: { unit: "m2" } },
    ],
    isPaid: true,
    sent_on: undefined,
    id_of_parent: "p",
  };
  const service = { find: () => stored, update: () => error({ stale: true } as const) };
  const pages = { edit: (_: unknown, csrf: string) => html`<input name="csrf" value="${csrf}" />` };
  const routers = resourceOfService({
    name: "orders",
    only: ["edit", "update"],
    schema: order,
    view: pages,
    service,
  });
  const visitor = new Visitor(application(routers, site));
  const orderPath = `/orders/${idOf(1)}`;
  const submit = (form: Record<string, string>): Promise<string> =>
    textOf(visitor.submit(`${orderPath}/edit`, orderPath, { _method: "put", version: "1", ...form }));
  const mineOfOrder = { title: "Mine", "lines.0.article": "Bread", "lines.0.size.unit": "kg", id_of_parent: "q" };
  const page = await submit(mineOfOrder);
  const valueOf = (whose: string): string => `${whose} version</span><span class="value">`;
  for (const text of [
    "<legend>Lines</legend>",
    `${valueOf("Your")}1 article: Bread\n1 size unit: kg<`,
    `${valueOf("Stored")}1 article: Milk\n1 size unit: l\n2 article: Room 12\n2 size unit: m2<`,
    "<legend>Is paid</legend>",
    `${valueOf("Your")}No<`,
    `${valueOf("Stored")}Yes<`,
    "<legend>Id of parent</legend>",
  ])
    assert.ok(page.includes(text), `${text} in ${page}`);
  assert.ok(!page.includes("Sent on"), page);
  // Of an invalid form, the inputs are shown as they were sent.
  for (const isPaid of ["on", "1", "true"]) {
    const invalid = await submit({ ...mineOfOrder, title: "", isPaid });
    assert.ok(!invalid.includes("Is paid") || invalid.includes(`${valueOf("Your")}Yes<`), invalid);
  }
});

test("a view function replaces the built-in page", async () => {
  const conflicts: Conflict<Issue>[] = [];
  const conflict: NonNullable<ResourceView<Issue>["conflict"]> = (_, csrf, shown) => {
    conflicts.push(shown);
    return html`<input name="csrf" value="${csrf}" />${shown.item.title}`;
  };
  const { issues, visitor } = stand({ ...view, conflict });
  issues.changeMeanwhile({ title: "Theirs" });
  const response = await visitor.submit(`${path}/edit`, path, mine);
  assert.deepEqual([response.status, (await textOf(response)).endsWith(">Theirs")], [409, true]);
  await visitor.submit(`${path}/edit`, path, { _method: "delete", version: "3" });
  const common = { action: path, item: issues.first, version: 4 };
  const title = { name: "title", inputs: [["title", "Mine"]], stored: [["title", "Theirs"]] };
  assert.deepEqual(conflicts, [
    { ...common, kind: "update", fields: [title], sensitiveFields: ["secret"] },
    { ...common, kind: "delete", fields: [], sensitiveFields: [] },
  ]);
});

test("the layout of the view is that of the built-in page", async () => {
  const layout: NonNullable<ResourceView<Issue>["layout"]> = async (request, title, content) =>
    html`<title>${title} · ${request.params.id}</title>${content}`;
  const { issues, visitor } = stand({ ...view, layout });
  issues.changeMeanwhile({ title: "Theirs" });
  for (const fields of [mine, { _method: "delete", version: "3" }]) {
    const response = await visitor.submit(`${path}/edit`, path, fields);
    const page = await textOf(response);
    assert.equal(response.status, 409);
    assert.ok(page.startsWith(`<title>Issue has changed · ${idOf(1)}</title><h1>Issue has changed</h1>`), page);
    assert.ok(page.includes("Theirs") && !page.includes("<style"), page);
  }
});

test("a conflict of an item that is gone is 404", async () => {
  const { issues, visitor } = stand();
  const token = await visitor.token(`${path}/edit`);
  issues.beforeChange = () => issues.items.delete(idOf(1));
  const body = new URLSearchParams({ _method: "delete", version: "3", csrf: token });
  assert.equal((await visitor.send(path, { method: "POST", body })).status, 404);
});
