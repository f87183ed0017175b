// A member of a team names everything of another team, everywhere. It runs in the project.
import assert from "node:assert/strict";
import { rolledBack } from "limmat/testing";
import { database } from "../service/service.ts";
import { test, useServices } from "./setup.ts";
import {
  encodeForm,
  fill,
  type Forms,
  formHeaders,
  isApi,
  jsonHeaders,
  keyOf,
  type Pairs,
  resourceOf,
  send,
  type Sent,
  type Target,
  targets,
} from "./team-requests.ts";
import { makeWorld, ownWord, Report, word, type World } from "./team-report.ts";

useServices();

for (const [name, attack] of [
  ["parameters of paths", paths],
  ["references of forms and JSON", references],
  ["filters and selections of lists", queries],
  ["addresses, cursors, keys and tags", others],
] as const) {
  test(`a member neither reads nor changes anything of another team by ${name}`, async () => {
    const world = await makeWorld();
    const report = new Report(world);
    await attack(world, report);
    assert.deepEqual(report.faults, []);
    // Forms of accounts ask for a password, and those of members for an address only when they add one.
    const isExpected = /^(?:POST \/(?:account|login|password-reset|register)\b|PUT .*\/members\/:id$|GET \/mails\/)/;
    assert.deepEqual(
      report.refused.filter((key) => !isExpected.test(key)),
      [],
    );
  });
}

/** Returns the requests of a route with a valid body: as a form, with `_method`, and as JSON. */
function requestsTo(target: Target, path: string, { forms, items }: World): readonly Sent[] {
  const { method } = target;
  if (method === "GET" || method === "HEAD") {
    return [formHeaders, jsonHeaders].map((headers) => ({ method, path, headers }));
  }
  const item = items.get(resourceOf(target));
  const json =
    item === undefined ? [] : [{ method, path, headers: jsonHeaders, body: JSON.stringify(inputOf(item, method)) }];
  if (isApi(path)) return json;
  const pairs = formOf(target, forms);
  const form = { method, path, ...encodeForm(pairs) };
  const override = { method: "POST", path, ...encodeForm([["_method", method.toLowerCase()], ...pairs]) };
  return [form, ...(method === "POST" ? [] : [override]), ...json];
}

/** Returns the form of a route. A PATCH without a form of its own takes that of the PUT. */
const formOf = (target: Target, { writes }: Forms): Pairs =>
  writes.get(keyOf(target)) ??
  (target.method === "PATCH" ? writes.get(keyOf({ ...target, method: "PUT" })) : undefined) ??
  [];

/** Returns the input of an item, with other values where they may have to be unique. */
function inputOf(item: Readonly<Record<string, unknown>>, method: string): Readonly<Record<string, unknown>> {
  const { id: _id, created_at: _created, updated_at: _updated, version, ...input } = item;
  if (method === "DELETE") return { version };
  if (method !== "POST") return { ...input, version };
  const changed = Object.entries(input).map(([name, value]): [string, unknown] => {
    if (name === "email") return [name, "new@example.com"];
    if (name === "number") return [name, 4711];
    return [name, typeof value === "string" && value.includes(ownWord) ? `${value} new` : value];
  });
  return Object.fromEntries(changed);
}

/** Every parameter of every path. */
async function paths(world: World, report: Report): Promise<void> {
  const { ids, oneOfEach, foreignProject, valuesOf } = world;
  for (const target of targets) {
    const own = valuesOf(target);
    for (const [position] of own.entries()) {
      for (const values of own.length === 1 ? [own] : [own, own.map(() => foreignProject)]) {
        const count = requestsTo(target, target.path, world).length;
        for (let kind = 0; kind < count; kind++) {
          if (values === own) await report.prove(target, requestsTo(target, fill(target, own), world)[kind] as Sent);
          const probe = (id: string): Sent =>
            requestsTo(target, fill(target, values.with(position, id)), world)[kind] as Sent;
          await report.compare(world.admin, probe, kind === 0 ? ids : oneOfEach);
          if (kind > 0) continue;
          await report.compare(world.admin, (id) => probe(id.toUpperCase()), oneOfEach);
          await report.compare(world.member, probe, oneOfEach);
        }
      }
    }
  }
}

const isReference = (name: string): boolean => /_ids?$/.test(name);

/** Every reference of every form and of JSON, and names that are no fields. */
async function references(world: World, report: Report): Promise<void> {
  const { admin, both, ids, oneOfEach, valuesOf, items, forms, columns } = world;
  for (const target of targets.filter(({ method }) => /^(?:POST|PUT|PATCH)$/.test(method))) {
    const { method } = target;
    const path = fill(target, valuesOf(target));
    const item = items.get(resourceOf(target));
    for (const sent of requestsTo(target, path, world)) {
      await report.prove(target, sent);
    }
    if (item === undefined && report.refused.includes(keyOf(target))) continue;
    const jsonProbe =
      (change: (id: string, value: unknown) => Readonly<Record<string, unknown>>, name = "") =>
      (id: string): Sent => ({
        method,
        path,
        headers: jsonHeaders,
        body: JSON.stringify({ ...inputOf(item ?? {}, method), ...change(id, item?.[name]) }),
      });
    if (item !== undefined) {
      for (const [name, value] of Object.entries(item).filter(([field]) => isReference(field))) {
        const isList = Array.isArray(value);
        const plain = jsonProbe((id) => ({ [name]: isList ? [id] : id }));
        await report.compare(admin, plain, ids);
        await report.compare(both, plain, oneOfEach);
        for (const shape of [
          (id: string) => ({ [name]: isList ? id : [id] }),
          (id: string) => ({ [name]: isList ? [...(value as string[]), id] : { id } }),
          (id: string) => ({ [name]: isList ? [id.toUpperCase()] : id.toUpperCase() }),
          (id: string) => ({ [name.replace(/_ids?$/, "")]: { id }, [name.replace(/_ids?$/, "s")]: [{ id }] }),
        ]) {
          await report.compare(admin, jsonProbe(shape), oneOfEach);
        }
      }
      const extras = (id: string) =>
        Object.fromEntries(
          columns
            .filter((name) => !(name in inputOf(item, method)))
            .flatMap((name) => [
              [name, id],
              [`${name}s`, [id]],
            ]),
        );
      await report.compare(admin, jsonProbe(extras), oneOfEach);
    }
    if (isApi(path)) continue;
    const pairs = formOf(target, forms);
    const formProbe =
      (change: (id: string) => Pairs, name = "") =>
      (id: string): Sent => ({
        method: "POST",
        path,
        ...encodeForm([["_method", method.toLowerCase()], ...pairs.filter(([other]) => other !== name), ...change(id)]),
      });
    for (const name of new Set(pairs.map(([field]) => field).filter(isReference))) {
      for (const person of [admin, both]) {
        const probe = formProbe((id) => [[name, id]], name);
        await report.compare(person, probe, oneOfEach);
      }
      for (const change of [
        (id: string): Pairs => [...pairs.filter(([other]) => other === name), [name, id]],
        (id: string): Pairs => [[`${name}[]`, id]],
        (id: string): Pairs => [[`${name}[0]`, id]],
        (id: string): Pairs => [[name, id.toUpperCase()]],
      ]) {
        await report.compare(admin, formProbe(change, name), oneOfEach);
      }
    }
    const extras = (id: string): Pairs =>
      columns.filter((name) => !pairs.some(([field]) => field === name)).map((name) => [name, id]);
    await report.compare(admin, formProbe(extras), oneOfEach);
  }
}

/** Every filter, order and selection of lists and entries. */
async function queries(world: World, report: Report): Promise<void> {
  const { admin, ids, oneOfEach, valuesOf, forms, columns } = world;
  const names = new Set([...[...forms.filters.values()].flat(), ...columns, "after", "before", "text", "owner"]);
  for (const target of targets.filter(({ method }) => method === "GET")) {
    const path = fill(target, valuesOf(target));
    const [own = ""] = valuesOf(target);
    const page = target.path.replace(/^\/team-api/, "").replace(/pages$|issues\.csv$/, "issues");
    for (const headers of isApi(path) ? [jsonHeaders] : [formHeaders, jsonHeaders]) {
      const get = (query: string): Sent => ({ method: "GET", path: `${path}?${query}`, headers });
      for (const name of forms.filters.get(page) ?? []) {
        await report.compare(admin, (id) => get(`${name}=${id}`), headers === jsonHeaders ? ids : oneOfEach);
        for (const query of [`${name}=${own}&${name}=`, `${name}[]=`, `${name}_from=`, `${name}=${own},`]) {
          await report.compare(admin, (id) => get(query + id), oneOfEach.slice(0, 3));
        }
        await report.compare(admin, (id) => get(`${name}=${id.toUpperCase()}`), oneOfEach);
      }
      // Pages ignore what they do not know, and lists in JSON refuse it.
      const all = (id: string): Sent => get([...names].map((name) => `${name}=${id}`).join("&"));
      await report.compare(admin, all, oneOfEach);
      if (headers === formHeaders) continue;
      for (const name of names) {
        await report.compare(admin, (id) => get(`${name}=${id}`), oneOfEach.slice(0, 1));
        if (!isApi(path)) continue;
        for (const option of ["include", "fields", "sort"]) await report.outcome(admin, get(`${option}=${name}`));
      }
    }
  }
}

/** Addresses, cursors, keys and tags of the other team. */
async function others(world: World, report: Report): Promise<void> {
  const { admin, victim, project, foreignProject } = world;
  const list = `/projects/${project}/members`;
  for (const [path, isForm] of [
    [list, true],
    [list, false],
    [`/team-api${list}`, false],
  ] as const) {
    const body = (email: string): Pick<Sent, "headers" | "body"> =>
      isForm
        ? encodeForm(Object.entries({ email, role: "admin" }))
        : { headers: jsonHeaders, body: JSON.stringify({ email, role: "admin" }) };
    const probe = (email: string): Sent => ({ method: "POST", path, ...body(email) });
    await report.compare(admin, probe, [victim.email, `${word}-guest@example.com`], "nobody@example.com");
  }

  // Cursors are valid for the same list of another parent.
  const page = (id: string, query: string): Sent => ({
    method: "GET",
    path: `/team-api/projects/${id}/pages?limit=1${query}`,
    headers: jsonHeaders,
  });
  const { body } = await send(victim, page(foreignProject, ""));
  const { next } = JSON.parse(body) as { readonly next: string };
  for (const name of ["after", "before"]) await report.outcome(admin, page(project, `&${name}=${next}`));

  await rolledBack(database, () => keys(world, report));
  await tags(world, report);
}

/** A key of an API belongs to its user, and that of a form to its session. */
async function keys({ admin, victim }: World, report: Report): Promise<void> {
  const headers = { ...jsonHeaders, "idempotency-key": "key-of-the-victim" };
  const sent = { method: "POST", path: "/team-api/projects", headers, body: JSON.stringify({ name: word }) };
  const [theirs, own] = [await send(victim, sent), await send(admin, sent)];
  assert.deepEqual([theirs.status, own.status], [201, 201]);
  if (theirs.headers.get("location") === own.headers.get("location")) {
    report.faults.push("the response to a key of another user");
  }
  const form = { method: "POST", path: "/projects", ...encodeForm(Object.entries({ name: word, csrf: victim.csrf })) };
  assert.equal((await send(victim, form)).status, 303);
  assert.equal((await send({ ...admin, csrf: victim.csrf }, form)).status, 403);
}

/** Tags of entries and files: conditional reads, and changes of the right version. */
async function tags({ admin, victim, foreignProject, foreignRows }: World, report: Report): Promise<void> {
  let count = 0;
  const isItem = /\/:id(?:<uuid>)?(?:\/photo)?$/;
  for (const target of targets.filter(({ method, path }) => method === "GET" && isItem.test(path))) {
    for (const row of foreignRows) {
      const id = /"id":"([^"]+)"/.exec(row)?.[1] ?? "";
      const path = fill(target, [...target.parents.slice(1).map(() => foreignProject), id]);
      const { status, headers, body } = await send(victim, { method: "GET", path, headers: jsonHeaders });
      const tag = headers.get("etag");
      if (status !== 200 || tag === null) continue;
      count++;
      const probe =
        (method: string, condition: string, input?: object) =>
        (named: string): Sent => ({
          method,
          path: path.replace(id, named),
          headers: { ...jsonHeaders, [condition]: tag },
          ...(input !== undefined && { body: JSON.stringify(input) }),
        });
      await report.compare(admin, probe("GET", "if-none-match"), [id]);
      if (path.endsWith("photo")) continue;
      await report.compare(admin, probe("DELETE", "if-match"), [id]);
      const input = inputOf(JSON.parse(body) as Record<string, unknown>, "PUT");
      for (const method of ["PUT", "PATCH"]) await report.compare(admin, probe(method, "if-match", input), [id]);
    }
  }
  assert.ok(count > 20, String(count));
}
