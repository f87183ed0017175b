import assert from "node:assert/strict";
import type { Answer } from "../harness/http.ts";

/** Row of a page. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
}

/** Variable parts of a page. */
export interface Page {
  readonly notice?: string;
  readonly form?: { readonly title: string; readonly error?: string };
  readonly heading: string;
  /** Paragraph instead of the form. */
  readonly text?: string;
  readonly rows?: readonly Row[];
  readonly search?: { readonly filter: string; readonly first: number; readonly last: number; readonly total: number };
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&${{ "&": "amp", "<": "lt", ">": "gt", '"': "quot" }[character]};`);

/** Returns the expected page, normalised by `normalise`. */
export function expectedPage({ notice, form = { title: "" }, heading, text, rows, search }: Page): string {
  const row = ({ id, title, done }: Row): string =>
    `<tr><td><a href="/todos/${id}">${escape(title)}</a></td><td>${done ? "yes" : "no"}</td>` +
    `<td><a href="/todos/${id}/edit">Edit</a></td></tr>`;
  return normalise(
    `<!doctype html><html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1"><title>${heading}</title>
    <link rel="stylesheet" href="/assets/site.css"></head><body>
    <header><nav><a href="/">Home</a><a href="/todos">Todos</a></nav><p>Signed in as Ada</p></header>
    ${notice === undefined ? "" : `<p class="notice" role="status">${escape(notice)}</p>`}
    <main><h1>${heading}</h1>
    ${
      text !== undefined
        ? `<p>${text}</p>`
        : `<form method="post" action="/todos"><input type="hidden" name="csrf" value="TOKEN">
    <label>Title<input name="title" value="${escape(form.title)}"></label>
    ${form.error === undefined ? "" : `<p class="error">${escape(form.error)}</p>`}
    <label>Done<input type="checkbox" name="done"></label><button>Save</button></form>`
    }
    ${
      search === undefined
        ? ""
        : `<form method="get" action="/todos"><label>Filter<input name="filter" value="${escape(search.filter)}"></label>
    <button>Search</button></form><p>${search.first} to ${search.last} of ${search.total}</p>`
    }
    ${
      rows === undefined
        ? ""
        : `<table><thead><tr><th>Title</th><th>Done</th><th></th></tr></thead>
    <tbody>${rows.map(row).join("")}</tbody></table>`
    }
    </main><footer><p>The same page, sent by every contestant.</p></footer></body></html>`,
  );
}

/**
 * Removes the permitted differences between contestants: white space between tags, the slash of void elements, the spelling of
 * entities, the name and value of the CSRF field.
 */
export function normalise(html: string): string {
  return html
    .replaceAll(" />", ">")
    .replace(/>\s+/g, ">")
    .replace(/\s+</g, "<")
    .replace(/&#(?:34|x22);/gi, "&quot;")
    .replace(/name="_?csrf" value="[^"]+"/, 'name="csrf" value="TOKEN"')
    .trim();
}

/** Asserts status, media type and page of a response. */
export function expectPage(answer: Answer, status: number, page: Page): void {
  assert.equal(answer.status, status, answer.body.slice(0, 2000));
  assert.equal(answer.header("content-type").toLowerCase().replaceAll(" ", ""), "text/html;charset=utf-8");
  const [actual, expected] = [normalise(answer.body), expectedPage(page)];
  const at = Array.from(expected).findIndex((character, index) => character !== actual[index]);
  const excerpt = (text: string): string => text.slice(Math.max(at - 60, 0), at + 60);
  assert.ok(actual === expected, `the page contains …${excerpt(actual)}… instead of …${excerpt(expected)}…`);
  assert.ok(answer.body.length < expectedPage(page).length * 1.1 + 300, "the page is padded with white space");
}

/** Returns name and value of the hidden CSRF field of a page. */
export function csrfField({ body }: Answer): readonly [name: string, value: string] {
  const found = /<input type="hidden" name="(_?csrf)" value="([^"]+)"/.exec(body);
  assert.ok(found?.[1] !== undefined && found[2] !== undefined, "no CSRF field");
  return [found[1], found[2]];
}
