import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import { html, type HtmlValue, isHtml, json, unsafeHtml } from "./index.ts";

// Not named html, so that formatters leave the templates alone.
const page = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): string =>
  String(html(strings, ...values));

const attack = `"'><script>alert(1)</script>&amp;`;

describe("between tags", () => {
  test("escapes text", () => {
    assert.equal(page`<p>${attack}</p>`, "<p>&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;</p>");
  });

  test("prints numbers and true, and omits undefined, null, false and empty lists", () => {
    assert.equal(page`${1}|${-0.5}|${10n}|${true}|${0}`, "1|-0.5|10|true|0");
    assert.equal(page`${undefined}|${null}|${false}|${""}|${[]}`, "||||");
  });

  test("nests templates and prints the items of lists", () => {
    const item = (text: string): ReturnType<typeof html> => html`<li>${text}</li>`;
    assert.equal(page`<ul>${["<", "b"].map(item)}</ul>${[["a"], 1, undefined]}`, "<ul><li>&lt;</li><li>b</li></ul>a1");
  });

  test("does not escape the result of unsafeHtml", () => {
    assert.equal(page`<div>${unsafeHtml("<b>bold</b>")}</div>`, "<div><b>bold</b></div>");
  });

  test("refuses objects that imitate HTML by their shape", () => {
    const shape = JSON.parse('{"text":"<b>","toString":"x"}') as string;
    for (const forged of [shape, { toString: (): string => "<b>" } as unknown as string]) {
      assert.equal(isHtml(forged), false);
      assert.throws(() => page`${forged}`, { code: "E_HTML_VALUE" });
    }
    assert.equal(isHtml(html`<b></b>`), true);
    assert.equal(isHtml(Object.create(html`<b></b>`)), false);
  });

  test("refuses values without a text form, with advice", () => {
    const refused: readonly (readonly [unknown, RegExp])[] = [
      [Promise.resolve("a"), /[Aa]wait/],
      [(): string => "a", /a function/],
      [{ a: 1 }, /an object.*json/],
      [new Map(), /an object of Map/],
      [new Date(0), /toISOString/],
      [Symbol("a"), /a symbol/],
      [json(1), /script/],
      [Object.create(null), /an object/],
    ];
    for (const [value, message] of refused) {
      assert.throws(() => page`<p>${value as string}</p>`, { code: "E_HTML_VALUE", message });
    }
  });
});

describe("in an attribute", () => {
  test("escapes text in single and double quotes", () => {
    const escaped = "&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;";
    assert.equal(page`<p title="${attack}">`, `<p title="${escaped}">`);
    assert.equal(page`<p title='a ${attack} b'>`, `<p title='a ${escaped} b'>`);
    assert.equal(page`<p title = "${undefined}" lang="${1}">`, `<p title = "" lang="1">`);
  });

  test("refuses HTML and lists", () => {
    assert.throws(() => page`<p title="${html`<b></b>`}">`, { code: "E_HTML_VALUE" });
    assert.throws(() => page`<p class="${["a", "b"]}">`, { code: "E_HTML_VALUE", message: /join/ });
  });

  test("refuses an unquoted value and suggests the quoted form", () => {
    for (const make of [() => page`<p title=${"a"}>`, () => page`<p title = ${"a"} >`]) {
      assert.throws(make, { code: "E_HTML_POSITION", message: /title="\$\{…\}"/ });
    }
    assert.throws(() => page`<p title=a${"b"}>`, { code: "E_HTML_POSITION", message: /Quote/ });
  });

  test("prints an optional attribute with its value, by name alone, or not at all", () => {
    const withTitle = (value: HtmlValue): string => page`<p ?title=${value} lang="de">`;
    assert.equal(withTitle('a"b'), `<p title="a&quot;b" lang="de">`);
    assert.equal(withTitle(""), `<p title="" lang="de">`);
    assert.equal(withTitle(0), `<p title="0" lang="de">`);
    assert.equal(withTitle(true), `<p title lang="de">`);
    for (const absent of [false, null, undefined]) assert.equal(withTitle(absent), `<p lang="de">`);
    assert.equal(page`<p ?hidden=${true}/>`, `<p hidden/>`);
    assert.equal(page`<p ?a=${true} ?b=${false} ?c=${"x"}>`, `<p a c="x">`);
    assert.equal(page`<a ?href=${"javascript:alert(1)"}>`, `<a href="about:invalid#refused">`);
  });

  test("accepts only true and false for a boolean attribute, and only in the optional form", () => {
    assert.equal(page`<input ?checked=${true} ?disabled=${false}>`, "<input checked>");
    assert.throws(() => page`<input ?checked=${"false"}>`, { code: "E_HTML_VALUE", message: /true or false/ });
    assert.throws(() => page`<input disabled="${false}">`, { code: "E_HTML_POSITION", message: /\?disabled=/ });
    assert.throws(() => page`<input ?disabled="${false}">`, { code: "E_HTML_POSITION", message: /without quotes/ });
    assert.throws(() => page`<input ?disabled=${true}x>`, { code: "E_HTML_POSITION" });
  });

  test("prints true and false as keywords in ARIA attributes", () => {
    assert.equal(page`<p aria-hidden="${true}" aria-busy="${false}">`, `<p aria-hidden="true" aria-busy="false">`);
    assert.equal(page`<p ?aria-hidden=${true} ?aria-busy=${false}>`, `<p aria-hidden="true">`);
  });

  test("accepts words, numbers and colours in a style attribute", () => {
    assert.equal(page`<p style="color: ${"#f00"}; width: ${12.5}%">`, `<p style="color: #f00; width: 12.5%">`);
    for (const bad of [
      "red;x:y",
      "url(//evil)",
      "expression(alert(1))",
      "a\\62",
      "/**/",
      "}",
      "'",
      "\u0000",
      "@import",
    ]) {
      assert.equal(page`<p style="color: ${bad}">`, `<p style="color: refused">`, bad);
    }
  });

  test("prints values as JSON in an event handler", () => {
    assert.equal(
      page`<p onclick="f(${"a'b"}, ${json({ a: "</p>" })})">`,
      `<p onclick="f(&quot;a&#39;b&quot;, {&quot;a&quot;:&quot;\\u003c/p\\u003e&quot;})">`,
    );
    for (const make of [
      () => page`<p onclick="f('${"a"}')">`,
      () => page`<p onclick="f(&quot;${"a"}&quot;)">`,
      () => page`<p onclick="f(&#x22;${"a"}&#x22;)">`,
      () => page`<p onclick="f(&QUOT;${"a"}">`,
      () => page`<p onclick="f(&constructor;${"a"}&constructor;)">`,
      () => page`<p onclick="f(&__proto__;${"a"}&__proto__;)">`,
      () => page`<button @click="go('${"a"}')">`,
      () => page`<div x-data="{ a: '${"a"}' }">`,
      () => page`<div hx-on:click="'${"a"}'">`,
      () => page`<div hx-vals='{"a": "${"a"}"}'>`,
    ]) {
      assert.throws(make, { code: "E_HTML_POSITION", message: /without quotes/ });
    }
    assert.equal(page`<i onclick="a && f(${1})">`, `<i onclick="a && f(1)">`);
  });

  test("prints no value that HTMX would run as a script", () => {
    const code = "js:alert(1)";
    for (const name of ["get", "post", "put", "patch", "delete", "query", "action", "ws:connect", "sse:connect"]) {
      for (const attribute of [`hx-${name}`, `data-hx-${name}`, `hx-${name}:inherited`]) {
        const parts = Object.assign([`<p ${attribute}="`, `">`], { raw: [`<p ${attribute}="`, `">`] });
        assert.equal(String(html(parts, code)), `<p ${attribute}="about:invalid#refused">`);
        assert.equal(String(html(parts, "/todos?a=b:c")), `<p ${attribute}="/todos?a=b:c">`);
      }
    }
    for (const make of [
      () => page`<div data-hx-headers:inherited='{"a": "${"a"}"}'>`,
      () => page`<div hx-vals:append='{"a": "${"a"}"}'>`,
      () => page`<div hx-vals:inherited:append='{"a": "${"a"}"}'>`,
      () => page`<div hx-config='{"action": "${"a"}"}'>`,
      () => page`<div hx-request='{"timeout": "${"a"}"}'>`,
      () => page`<div hx-live="f('${"a"}')">`,
    ]) {
      assert.throws(make, { code: "E_HTML_POSITION", message: /without quotes/ });
    }
    assert.equal(
      page`<body hx-headers:inherited="${json({ "X-CSRF-Token": "a" })}">`,
      `<body hx-headers:inherited="{&quot;X-CSRF-Token&quot;:&quot;a&quot;}">`,
    );
    assert.equal(page`<p hx-confirm="${code}?">`, `<p hx-confirm=" ${code}?">`);
    assert.equal(page`<p hx-confirm="${"j"}${"s:alert(1)"}">`, `<p hx-confirm=" js:alert(1)">`);
    assert.equal(page`<p ?data-hx-confirm:inherited=${code}>`, `<p data-hx-confirm:inherited=" ${code}">`);
    assert.equal(page`<p hx-confirm="Delete ${"js:a"}?">`, `<p hx-confirm="Delete js:a?">`);
    assert.equal(page`<p hx-confirm="${"Milk"} löschen?">`, `<p hx-confirm="Milk löschen?">`);
    assert.equal(page`<p hx-trigger="${"load[alert(1)]"}">`, `<p hx-trigger="refused">`);
    assert.equal(page`<p data-hx-trigger="${"load"}${"[alert(1)]"}">`, `<p data-hx-trigger="loadrefused">`);
    assert.equal(page`<p ?hx-trigger=${"every 1s [alert(1)]"}>`, `<p hx-trigger="refused">`);
    assert.equal(page`<p hx-trigger="every ${2}s, ${"click"}">`, `<p hx-trigger="every 2s, click">`);
    assert.equal(page`<p hx-trigger="click[shiftKey] delay:${"1s"}">`, `<p hx-trigger="click[shiftKey] delay:1s">`);
    assert.throws(() => page`<p hx-trigger="keyup[key=='${"a"}']">`, { code: "E_HTML_POSITION", message: /filter/ });
  });

  test("prints values as JSON in the directives of Alpine and its plugins", () => {
    assert.equal(page`<p x-id="[${"a'b"}]">`, `<p x-id="[&quot;a&#39;b&quot;]">`);
    for (const name of ["id", "modelable", "anchor.bottom", "intersect:enter", "mask:dynamic", "resize", "sort"]) {
      const parts = [`<p x-${name}="f('`, `')">`];
      assert.throws(() => html(Object.assign(parts, { raw: parts }), "a"), { code: "E_HTML_POSITION" }, name);
    }
    assert.equal(page`<p x-mask="${"99/99"}" x-sort:group="${"a"}">`, `<p x-mask="99/99" x-sort:group="a">`);
  });

  test("escapes text twice and HTML once in srcdoc", () => {
    assert.equal(page`<iframe srcdoc="${"<b>"}"></iframe>`, `<iframe srcdoc="&amp;lt;b&amp;gt;"></iframe>`);
    assert.equal(
      page`<iframe srcdoc="${html`<b>${"<"}</b>`}"></iframe>`,
      `<iframe srcdoc="&lt;b&gt;&amp;lt;&lt;/b&gt;"></iframe>`,
    );
  });
});

describe("in a URL attribute", () => {
  const link = (url: string): string | undefined => /"([^]*)"/.exec(page`<a href="${url}">`)?.[1];
  const refused = "about:invalid#refused";

  test("keeps paths and safe schemes", () => {
    for (const url of [
      "/a?b=c#d",
      "a:b/c".replace(":", "%3A"),
      "https://a.b/",
      "HTTP://a.b",
      "mailto:a@b.c",
      "tel:+41",
      "",
      "?a=b:c",
      "./a:b",
      "//a.b",
    ]) {
      assert.equal(link(url), url);
    }
  });

  test("refuses javascript:, data: and other unsafe schemes, also in disguise", () => {
    for (const url of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      " javascript:alert(1)",
      "\u0000\u0001\u001fjavascript:alert(1)",
      "java\nscript:alert(1)",
      "java\tscript\r:alert(1)",
      "\n javascript\t:alert(1)",
      "vbscript:x",
      "data:text/html,<script>alert(1)</script>",
      "data:image/svg+xml;base64,AAAA",
      'data:image/png;base64,AAAA"><script>',
      "view-source:javascript:1",
      "blob:https://a.b/1",
      "feed:javascript:alert(1)",
      "intent://a",
    ]) {
      assert.equal(link(url), refused, url);
      assert.match(page`<form action="${url}">`, /refused/);
      assert.match(page`<button formaction='${url}'>`, /refused/);
      assert.match(page`<iframe src=" ${url}"></iframe>`, /refused/);
      assert.match(page`<svg><a xlink:href="${url}"></a></svg>`, /refused/);
    }
    assert.equal(link("javascript&colon;alert(1)"), "javascript&amp;colon;alert(1)");
  });

  test("accepts images as data URLs", () => {
    const picture = "data:image/png;base64,iVBORw0KGgo=";
    assert.equal(page`<img src="${picture}">`, `<img src="${picture}">`);
  });

  test("encodes a value after the start so that it cannot end a scheme", () => {
    assert.equal(page`<a href="/todos/${"javascript:x"}">`, `<a href="/todos/javascript:x">`);
    assert.equal(page`<a href="?q=${"a:b"}&r=${"c"}">`, `<a href="?q=a:b&r=c">`);
    assert.equal(page`<a href="mailto:${"a:b"}">`, `<a href="mailto:a:b">`);
    assert.equal(page`<a href="java${"script:alert(1)"}">`, `<a href="javascript%3Aalert(1)">`);
    assert.equal(page`<a href="${"java"}${"script:alert(1)/:"}">`, `<a href="javascript%3Aalert(1)/:">`);
    assert.equal(page`<a href="${""}${"\njavascript:alert(1)"}">`, `<a href="\njavascript%3Aalert(1)">`);
  });

  test("refuses a template that composes a scheme or starts with a script scheme", () => {
    assert.throws(() => page`<a href="${"javascript"}:alert(1)">`, { code: "E_HTML_POSITION", message: /scheme/ });
    assert.throws(() => page`<a href="${"javascript"}&colon;alert(1)">`, { code: "E_HTML_POSITION" });
    assert.throws(() => page`<a href="java${"script"}:alert(1)">`, { code: "E_HTML_POSITION" });
    assert.throws(() => page`<a href=" JavaScript:f(${1})">`, { code: "E_HTML_POSITION", message: /script or data/ });
    assert.throws(() => page`<a href="data:text/html,${"a"}">`, { code: "E_HTML_POSITION" });
    assert.equal(page`<a href="${"/a"}/b:c">`, `<a href="/a/b:c">`);
  });

  test("checks each URL of a srcset, in linear time", () => {
    assert.equal(page`<img srcset="${"/a.png 1x, /b.png 2x"}">`, `<img srcset="/a.png 1x, /b.png 2x">`);
    assert.equal(
      page`<img srcset="/a.png 1x, ${"javascript:x 2x,data:text/html,x 3x"}">`,
      `<img srcset="/a.png 1x, ${refused} 2x,${refused} 3x">`,
    );
    assert.equal(page`<img srcset="${"javascript:a,, data:b,"}">`, `<img srcset="${refused},, ${refused},">`);
    // A quadratic algorithm would exceed the time limit of a test.
    const commas = `/a${",".repeat(2_000_000)}b`;
    assert.equal(page`<img srcset="${commas}">`, `<img srcset="${commas}">`);
  });
});

describe("in a script", () => {
  test("prints values as JSON that cannot end the script", () => {
    assert.equal(
      page`<script>const a = ${"</script><!--\u2028&"};</script>`,
      `<script>const a = "\\u003c/script\\u003e\\u003c!--\\u2028\\u0026";</script>`,
    );
    assert.equal(
      page`<script nonce="${"n"}" type="module">f(${1}, ${true}, ${null}, ${undefined}, ${["a", 1]})</script>`,
      `<script nonce="n" type="module">f(1, true, null, null, ["a",1])</script>`,
    );
    assert.equal(
      page`<script type="application/json">${json({ a: [1, "<"] })}</script>`,
      `<script type="application/json">{"a":[1,"\\u003c"]}</script>`,
    );
    assert.equal(
      page`<script type="application/ld+json">{"a": ${"b"}, "c": [${1}]}</script>`,
      `<script type="application/ld+json">{"a": "b", "c": [1]}</script>`,
    );
  });

  test("does not let a __proto__ key set the prototype of an object literal", () => {
    const forged: unknown = JSON.parse('{"__proto__":{"admin":true}}');
    const script = page`<script>x = ${json(forged)}</script>`.slice(12, -9);
    assert.equal((runInNewContext(`(${script})`) as { admin?: true }).admin, undefined);
    assert.equal(
      page`<script type="application/json">${json(forged)}</script>`,
      `<script type="application/json">{"__proto__":{"admin":true}}</script>`,
    );
  });

  test("refuses values without JSON", () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    for (const value of [circle, 1n, { deep: [1n] }]) {
      assert.throws(() => page`<script>f(${json(value)})</script>`, { code: "E_HTML_VALUE", message: /JSON/ });
    }
    assert.throws(() => page`<script>f(${html`<b></b>`})</script>`, { code: "E_HTML_VALUE" });
    assert.throws(() => page`<script>f(${Promise.resolve() as unknown as string})</script>`, { code: "E_HTML_VALUE" });
  });

  test("refuses a value in a string, template, comment or regular expression", () => {
    for (const make of [
      () => page`<script>a = "${1}"</script>`,
      () => page`<script>a = 'it\\'s ${1}'</script>`,
      () => page`<script>a = \`${1}\`</script>`,
      () => page`<script>a = \`\${ b } ${1}\`</script>`,
      () => page`<script>// ${1}
      </script>`,
      () => page`<script>/* ${1} */</script>`,
      () => page`<script>a = /${1}/</script>`,
      () => page`<script>a = /[/"]${1}/</script>`,
      () => page`<script>return /"/ + "${1}"</script>`,
      () => page`<script>if (a) /"/.test("${1}")</script>`,
      () => page`<script type="application/json">{"a": "${1}"}</script>`,
    ]) {
      assert.throws(make, { code: "E_HTML_POSITION", message: /without quotes/ });
    }
  });

  test("accepts a value in code after strings, comments, templates and regular expressions", () => {
    const seven = 7;
    for (const script of [
      page`<script>a = "it's \\" /*"; f(${seven})</script>`,
      page`<script>a = 'b' /* ' " */; f(${seven})</script>`,
      page`<script>a = /["'/]/g.test("x"); // don't
      f(${seven})</script>`,
      page`<script>a = b / c; d = (e) / f / 2; f(${seven})</script>`,
      page`<script>a = \`it's\`; f(${seven})</script>`,
      page`<script>a = b++ / 2; f(${seven}, ${seven})</script>`,
      page`<script>for (const a of /x'/.exec(b)) { f(${seven}) }</script>`,
    ]) {
      assert.match(script, /f\(7/);
    }
  });

  test("refuses values in a script of an unknown type, in its type, and after <!--", () => {
    assert.throws(() => page`<script type="text/template">${1}</script>`, { code: "E_HTML_POSITION" });
    assert.throws(() => page`<script type="${"module"}">f()</script>`, { code: "E_HTML_POSITION" });
    assert.throws(() => page`<script><!-- f(${1})</script>`, { code: "E_HTML_POSITION", message: /<!--/ });
  });
});

describe("in other positions", () => {
  test("prints text in titles and text areas, and refuses HTML there", () => {
    assert.equal(page`<title>${"</title><b>"}</title>`, "<title>&lt;/title&gt;&lt;b&gt;</title>");
    assert.equal(
      page`<textarea name="a">${"</textarea>"}</textarea>`,
      `<textarea name="a">&lt;/textarea&gt;</textarea>`,
    );
    assert.throws(() => page`<title>${html`<b></b>`}</title>`, { code: "E_HTML_VALUE" });
  });

  test("keeps a line break at the start of a text area", () => {
    assert.equal(page`<textarea>${"\na"}</textarea>`, "<textarea>\n\na</textarea>");
    assert.equal(page`<textarea>${"a\n"}</textarea>`, "<textarea>a\n</textarea>");
    assert.equal(
      page`<textarea>
${"\na"}</textarea>`,
      "<textarea>\n\na</textarea>",
    );
  });

  test("does not let a value end a comment", () => {
    assert.equal(page`<!-- ${"--><b>"} -->a`, "<!-- &#45;&#45;&gt;&lt;b&gt; -->a");
    assert.equal(page`<!--${">"}-->${"<"}`, "<!--&gt;-->&lt;");
    assert.equal(page`<!--> ${"<"}`, "<!--> &lt;");
  });

  test("accepts words, numbers and colours in a style sheet", () => {
    assert.equal(page`<style>p { color: ${"red"} }</style>`, "<style>p { color: red }</style>");
    assert.equal(page`<style>p { color: ${"</style>"} }</style>${"<"}`, "<style>p { color: refused }</style>&lt;");
  });

  test("refuses values in names and declarations", () => {
    for (const make of [
      () => page`<${"b"}>`,
      () => page`</${"b"}>`,
      () => page`<b${"r"}>`,
      () => page`<b ${"a"}>`,
      () => page`<b ${"a"}="c">`,
      () => page`<b a${"c"}>`,
      () => page`<b a="c"${"d"}>`,
      () => page`<!doctype ${"html"}>`,
      () => page`<?xml ${"a"}?>`,
      () => page`<xmp>${"a"}</xmp>`,
      () => page`<title></ti${"tle"}></title>`,
      () => page`<animate attributeName="href" to="${"javascript:x"}">`,
      () => page`<set to="${"a"}">`,
    ]) {
      assert.throws(make, { code: "E_HTML_POSITION" });
    }
  });

  test("refuses a template that ends inside a tag, a comment or raw text", () => {
    for (const make of [
      () => page`<p`,
      () => page`<p title="`,
      () => page`<p title=a`,
      () => page`<script>`,
      () => page`<textarea>a`,
      () => page`<!-- a`,
      () => page`<`,
      () => page`<p title="${"a"}`,
    ]) {
      assert.throws(make, { code: "E_HTML_UNFINISHED", message: /ends inside/ });
    }
    assert.equal(page`<p>`, "<p>");
    assert.equal(page`a < b ${"<"}`, "a < b &lt;");
  });

  test("refuses invalid escape sequences in a template", () => {
    assert.throws(() => page`\u{zz}${1}`, { code: "E_HTML_POSITION" });
  });
});

test("a promise that is refused does not end the process when it is rejected", async () => {
  const failing = (): string => Promise.reject(new Error("No connection")) as unknown as string;
  for (const render of [
    () => html`<p title="${failing()}">${failing()}</p>`,
    () =>
      html`<ul>
        ${[failing(), failing()]}
      </ul>`,
  ]) {
    assert.throws(() => render().toString(), { code: "E_HTML_VALUE" });
  }
  // The test fails if a promise is not handled by then.
  await new Promise((resolve) => void setImmediate(resolve));
});
