import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assert as check, constantFrom, oneof, property, string } from "fast-check";
import type { Html } from "../../html/index.ts";
import * as Query from "../query/query.ts";
import { filters } from "./index.ts";
import { rounds } from "../../../test/rounds.ts";
import { anyCharacter } from "../../../test/any-character.ts";

const filterBy = {
  state: Query.oneOf("open", "in_work"),
  labels: Query.anyOf(Query.oneOf("red", "blue")),
  done: Query.bool,
  assignee_id: Query.nullable(Query.uuid),
  count: Query.int,
  created_at: Query.range(Query.timestamp),
  note: Query.text,
};
const anna = "9f1cb3d4-6a5c-4f0e-8f3a-2b7c1d5e9a01";
const squash = (page: Html): string => String(page).replaceAll(/\s+/g, " ").replaceAll(/ \/?>/g, ">");
const parse = (search: string): Query.Query =>
  Query.ofRequest({ query: new URLSearchParams(search) }, { filterBy, sortBy: ["title"], text: true });

/** Returns what a browser would send for a form without a change. */
function sent(page: Html): URLSearchParams {
  const text = squash(page);
  const parameters = new URLSearchParams();
  const decode = (value = ""): string =>
    value
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&");
  for (const [, attributes = ""] of text.matchAll(/<input ([^>]*)>/g)) {
    if (/type="checkbox"/.test(attributes) && !/ checked/.test(attributes)) continue;
    const value = decode(/ value="([^"]*)"/.exec(attributes)?.[1]);
    // A browser empties such an input if its value has another format.
    const isShown =
      (!/type="date"/.test(attributes) || /^\d{4}-\d\d-\d\d$/.test(value)) &&
      (!/type="number"/.test(attributes) || /^-?\d+$/.test(value));
    parameters.append(decode(/ name="([^"]*)"/.exec(` ${attributes}`)?.[1]), isShown ? value : "");
  }
  for (const [, name = "", options = ""] of text.matchAll(/<select [^>]*name="([^"]*)">(.*?)<\/select>/g)) {
    const selected =
      /<option(?: value="([^"]*)")? selected>([^<]*)</.exec(options) ??
      /<option(?: value="([^"]*)")?>([^<]*)</.exec(options);
    parameters.append(name, decode(selected?.[1] ?? selected?.[2]?.trim()));
  }
  return parameters;
}

describe("filters", () => {
  test("takes the rules of the resource", () => {
    const rules = { filterBy, sortBy: ["title"], text: true } satisfies Query.QueryRules;
    const page = squash(filters({}, { path: "/issues", ...rules }));
    assert.match(page, /id="text" name="text" type="search"/);
    assert.doesNotMatch(page, /name="sort"|name="filter"/);
    assert.match(squash(filters({}, { path: "/issues", filterBy })), /name="filter"[^]*name="sort"/);
    assert.match(
      squash(filters({}, { path: "/issues", ...rules, search: "filter", hasOrder: true })),
      /name="filter"[^]*name="sort"/,
    );
  });

  test("have the control that suits their type", () => {
    const page = squash(
      filters(
        {},
        { path: "/issues", filterBy, filters: { assignee_id: { label: "Assignee", choices: [[anna, "Anna"]] } } },
      ),
    );
    for (const part of [
      '<form class="card search" role="search" action="/issues">',
      '<input id="filter" name="filter" type="search"',
      '<label for="filter-state">State</label> <select id="filter-state" name="state"> <option value="">Any</option> <option value="open">Open</option><option value="in_work">In work</option>',
      "<legend>Labels</legend>",
      'name="labels" type="checkbox" value="red"',
      '<option value="true">Yes</option><option value="false">No</option>',
      `<option value="${anna}">Anna</option><option value="none">None</option>`,
      'name="count" type="number"',
      '<label for="filter-created_at_from">Added: from</label> <input id="filter-created_at_from" name="created_at_from" type="date"',
      'name="created_at_to" type="date"',
      'name="note" type="text"',
    ]) {
      assert.ok(page.includes(part), part);
    }
    assert.doesNotMatch(page, /Clear/);
  });

  test("mark errors as fields of forms do", () => {
    const query = Query.ofPage({ query: new URLSearchParams("count=x&labels=green") }, { filterBy });
    const page = squash(filters(query, { path: "/issues", filterBy }));
    assert.match(page, /<div class="filter is-invalid" ?> <label for="filter-count">/);
    assert.match(page, /<fieldset class="filter is-invalid wide" aria-describedby="filter-labels-error" ?>/);
    assert.match(page, /id="filter-labels" name="labels" type="checkbox" value="red" aria-invalid="true"/);
  });

  test("are left out if nothing could be chosen, or if they are not wanted", () => {
    const page = squash(
      filters(
        {},
        { path: "/issues", filterBy, filters: { note: false }, search: false, hasOrder: false, pageSizes: [] },
      ),
    );
    assert.doesNotMatch(page, /assignee_id|note|type="search"|name="sort"|name="limit"/);
    assert.match(page, /<button class="secondary">Apply<\/button>/);
  });

  test("show the query, and send it again from its first page", () => {
    const search = `state=in_work&labels=red&labels=blue&done=false&assignee_id=none&count=3&created_at_from=2026-01-31&created_at_to=2026-02-01&note=%3Cb%3E&filter=a%26b&sort=-title&limit=7&offset=14`;
    const query = parse(search);
    const page = filters(query, { path: "/issues", filterBy, filters: { assignee_id: { choices: [[anna, "Anna"]] } } });
    const { offset: _, ...expected } = query;
    assert.deepEqual(parse(String(sent(page))), expected);
    assert.match(squash(page), /<option value="7" selected>7<\/option>/);
    assert.match(squash(page), /<a class="button secondary" href="\/issues">Clear<\/a>/);
  });

  test("keep values that their control has no place for", () => {
    const types = {
      tag: Query.anyOf(Query.text),
      at: Query.timestamp,
      seen_at: Query.range(Query.timestamp),
      due_on: Query.nullable(Query.date),
      points: Query.nullable(Query.int),
      author_id: Query.uuid,
      reader_id: Query.anyOf(Query.uuid),
    };
    const read = (search: string | URLSearchParams): Query.Query =>
      Query.ofRequest({ query: new URLSearchParams(search) }, { filterBy: types });
    const query = read(
      `tag=a&tag=b&at=2026-01-31T12:00Z&seen_at_from=2026-01-31T08:15Z&due_on=none&points=none&author_id=${anna}&reader_id=${anna}&sort=asc`,
    );
    const choices = [["0f8fad5b-d9cb-469f-a165-708677289501", "Eve"]] as const;
    const page = filters(query, {
      path: "/issues",
      filterBy: types,
      filters: { author_id: { choices }, reader_id: { choices } },
    });
    assert.deepEqual(read(sent(page)), { ...query, limit: 50 });
  });

  test("keep what they do not show", () => {
    const query = parse(`assignee_id=${anna}&note=x&text=words&sort=title&limit=5&after=abc`);
    const page = filters(query, { path: "/issues", filterBy, filters: { note: false }, pageSizes: [] });
    const { after: _, ...expected } = query;
    assert.deepEqual(parse(String(sent(page))), expected);
  });
});

test("hostile texts stay texts in every filter", () => {
  const hostile = constantFrom(
    "<script>alert(1)</script>",
    '" onfocus="alert(1)',
    "'--><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
  );
  check(
    property(
      oneof(
        hostile,
        string({ unit: anyCharacter, maxLength: 100 }).filter((text) => !text.includes("\0")),
      ),
      (text) => {
        const query = parse(String(new URLSearchParams({ filter: text, note: text })));
        const options = { label: text, choices: [text], noneLabel: text };
        const page = filters(query, {
          path: "/issues",
          filterBy,
          filters: { note: { label: text }, state: options, labels: options, assignee_id: options },
        });
        assert.doesNotMatch(squash(page), /<(?:script|img)\b/);
        assert.doesNotMatch(squash(page).replaceAll(/"[^"]*"/g, '""'), /<[^>]* on\w+=/);
        assert.equal(squash(page).match(/<(?:input|select|button)\b/g)?.length, 12);
      },
    ),
    { numRuns: rounds(500) },
  );
});
