import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { anyCharacter } from "../../../test/any-character.ts";
import { html, json, unsafeHtml } from "../index.ts";
import { tokenize } from "../tokens.test.ts";
import { Fragment, jsx } from "./index.ts";

const print = (type: Parameters<typeof jsx>[0], props: Parameters<typeof jsx>[1] = {}): string =>
  String(jsx(type, props));

describe("an element", () => {
  test("escapes its attributes and children", () => {
    assert.equal(
      print("p", { class: `a"b`, children: ["<", 1, jsx("b", {}), undefined] }),
      `<p class="a&quot;b">&lt;1<b></b></p>`,
    );
    assert.equal(print("br"), "<br>");
    assert.equal(print("svg", { viewBox: "0 0 1 1", children: html`<g></g>` }), `<svg viewBox="0 0 1 1"><g></g></svg>`);
    assert.equal(print(Fragment, { children: ["<", "b"] }), "&lt;b");
  });

  test("omits attributes that are false, null or undefined", () => {
    assert.equal(
      print("input", { checked: true, disabled: false, value: null, title: undefined, key: "1" }),
      "<input checked>",
    );
    assert.equal(
      print("p", { "aria-busy": false, "aria-live": true, hidden: true }),
      `<p aria-busy="false" aria-live="true" hidden></p>`,
    );
    assert.throws(() => print("input", { checked: "false" }), { code: "E_HTML_VALUE" });
  });

  test("refuses URLs with an unsafe scheme, and prints event handlers as JSON", () => {
    assert.equal(print("a", { href: "java\nscript:alert(1)" }), `<a href="about:invalid#refused"></a>`);
    assert.equal(
      print("animate", { values: "#a;javascript:alert(1)" }),
      `<animate values="#a;about:invalid#refused"></animate>`,
    );
    assert.equal(print("p", { onclick: "alert(1)" }), `<p onclick="&quot;alert(1)&quot;"></p>`);
    assert.equal(print("iframe", { srcdoc: "<b>" }), `<iframe srcdoc="&amp;lt;b&amp;gt;"></iframe>`);
  });

  test("accepts a style as an object of properties", () => {
    assert.equal(
      print("p", { style: { color: "red", "--x": 1, width: "1;url(x)" } }),
      `<p style="color: red; --x: 1; width: refused"></p>`,
    );
    assert.equal(print("p", { style: null }), "<p></p>");
    assert.throws(() => print("p", { style: "color: red" }), { code: "E_HTML_VALUE", message: /by name/ });
    assert.throws(() => print("p", { style: { "a:b;c": "d" } }), { code: "E_HTML_NAME" });
  });

  test("refuses names that could end the tag", () => {
    for (const name of ["p><script", "p onload=x", "", "1", "p/", 'p"', "p\n"]) {
      assert.throws(() => print(name), { code: "E_HTML_NAME" }, name);
    }
    for (const name of ["a b", "a=b", "a>", 'a"', "a'", "a/b", "a\0", "<", ""]) {
      assert.throws(() => print("p", { [name]: "x" }), { code: "E_HTML_NAME" }, name);
    }
  });

  test("recognizes HTML by class, so that data is never an element", () => {
    for (const forged of [{ type: "script", props: { children: "alert(1)" } }, { toString: () => "<b>" }]) {
      assert.throws(() => print("p", { children: forged }), { code: "E_HTML_VALUE" });
    }
    assert.throws(() => print("p", { children: Promise.resolve("a") }), { code: "E_HTML_VALUE" });
    assert.throws(() => print("br", { children: "a" }), { code: "E_HTML_VALUE" });
  });

  test("prints the content of titles, text areas, scripts and styles", () => {
    assert.equal(print("title", { children: ["<", " · b"] }), "<title>&lt; · b</title>");
    assert.equal(print("textarea", { children: "\n</textarea>" }), "<textarea>\n\n&lt;/textarea&gt;</textarea>");
    assert.equal(
      print("script", { type: "application/json", children: json({ a: "</script>" }) }),
      `<script type="application/json">{"a":"\\u003c/script\\u003e"}</script>`,
    );
    assert.equal(
      print("script", { children: ["", unsafeHtml("f("), json(1), unsafeHtml(")")].slice(1) }),
      "<script>f(1)</script>",
    );
    assert.equal(print("style", { children: unsafeHtml("p { color: red }") }), "<style>p { color: red }</style>");
    for (const element of ["script", "style"]) {
      assert.throws(() => print(element, { children: "alert(1)" }), { code: "E_HTML_VALUE", message: /unsafeHtml/ });
    }
    const forged: unknown = JSON.parse('{"__proto__":{"admin":true}}');
    const script = print("script", { children: json(forged) }).slice("<script>".length, -"</script>".length);
    assert.equal((runInNewContext(`(${script})`) as { admin?: true }).admin, undefined);
  });

  test("keeps arbitrary text as text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (value) => {
        assert.deepEqual(tokenize(print("p", { title: value, children: value })), [
          { type: "tag", name: "p", attributes: [["title", value]] },
          { type: "text", text: value },
          { type: "tag", name: "/p", attributes: [] },
        ]);
      }),
    );
  });
});

const page = `
import { html } from "limmat/html";
interface Item { readonly name: string; readonly done: boolean }
const Row = ({ item, children }: { readonly item: Item; readonly children?: string }) => (
  <li class={item.done ? "done" : undefined} data-name={item.name}>{item.name}{children}</li>
);
export const list = (items: readonly Item[]) => (
  <>
    <ul>{items.map((item) => <Row item={item} key={item.name}>!</Row>)}</ul>
    <input type="checkbox" checked={items.length > 1} />
    {html\`<hr>\`}
  </>
);
// @ts-expect-error: no such attribute
export const misspelt = <p titel="x" />;
// @ts-expect-error: an attribute of React
export const foreign = <p className="x" />;
// @ts-expect-error: a component's attribute is missing
export const missing = <Row />;
// @ts-expect-error: there or not
export const text = <input checked="false" />;
// @ts-expect-error: no function prints
export const handler = <p>{() => "x"}</p>;
`;

test("a JSX page type-checks, compiles and prints", async () => {
  const folder = mkdtempSync(join(tmpdir(), "limmat-jsx-"));
  const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  try {
    const paths = { "limmat/jsx-runtime": [source("index.ts")], "limmat/html": [source("../index.ts")] };
    const compilerOptions = {
      noEmit: false,
      isolatedDeclarations: false,
      declaration: false,
      jsx: "react-jsx",
      jsxImportSource: "limmat",
      paths,
      outDir: "out",
      rootDir: "/",
      typeRoots: [source("../../../node_modules/@types")],
    };
    writeFileSync(join(folder, "page.tsx"), page);
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: source("../../../tsconfig.json"), compilerOptions, files: ["page.tsx"], include: [] }),
    );
    const { stdout, status } = spawnSync(
      process.execPath,
      [source("../../../node_modules/typescript/bin/tsc"), "-p", folder],
      { encoding: "utf8" },
    );
    assert.deepEqual([stdout, status], ["", 0]);
    const compiled = readFileSync(join(folder, "out", folder, "page.js"), "utf8")
      .replace('"limmat/jsx-runtime"', JSON.stringify(source("index.ts")))
      .replace('"limmat/html"', JSON.stringify(source("../index.ts")))
      .replace(/\/\/ @ts-expect-error[^]*$/, "");
    writeFileSync(join(folder, "page.js"), compiled);
    const { list } = (await import(join(folder, "page.js"))) as { list: (items: readonly object[]) => unknown };
    const items = [
      { name: "<a>", done: true },
      { name: "b", done: false },
    ];
    assert.equal(
      String(list(items)),
      `<ul><li class="done" data-name="&lt;a&gt;">&lt;a&gt;!</li><li data-name="b">b!</li></ul><input type="checkbox" checked><hr>`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a promise that is refused does not end the process when it is rejected", async () => {
  const failing = (): never => Promise.reject(new Error("No connection")) as never;
  for (const render of [
    () => jsx("p", { title: failing(), children: failing() }),
    () => jsx("ul", { children: [failing(), failing()] }),
    () => jsx(failing, {}),
  ]) {
    assert.throws(render, { code: "E_HTML_VALUE" });
  }
  // The test fails if a promise is not handled by then.
  await new Promise((resolve) => void setImmediate(resolve));
});
