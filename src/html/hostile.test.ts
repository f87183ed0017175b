import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { html, type HtmlValue, json } from "./index.ts";
import { type Token, tokenize } from "./tokens.test.ts";
import { schemeOf } from "./url.ts";

const page = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): string =>
  String(html(strings, ...values));

/** Pieces from which attacks are made. Any mixture must come out as the text that it is. */
const pieces: readonly string[] = [
  "< > \" ' & ; : = / \\ - ! ? ` # % ( ) { } [ ] $ @ , . a 0 \t \n \r \f \0 \u000b \u00a0 \u2028 \u2029 \ufeff \u202e \ud800 \udc00",
  "<script> </script </script> </textarea> </title\n </style\t <!-- --> --!> <![CDATA[ ]]> </ <a <p/>",
  "javascript: JAVASCRIPT: data: vbscript: java\nscript &#106; &colon; &lt; &amp; &quot; %3c href srcdoc",
  "onload= onerror=alert(1) alert(1) ${1} \\u003c \\x3c */ // /* expression( url( __proto__ constructor",
  "ﬁ İ ſcript ＜ 👍🏽 Ω≈ç√ 日本語",
].flatMap((line) => [" ", ...line.split(" ")]);

const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary" }),
);

/** The tokens of a page where `mark` stands for the value. */
function expected(tokens: readonly Token[], value: string): readonly Token[] {
  const fill = (text: string): string => text.replaceAll("MARK", () => value);
  return tokens.map((token) => {
    if (token.type === "text") return { ...token, text: fill(token.text) };
    if (token.type === "comment") return token;
    return {
      ...token,
      attributes: token.attributes.map(([name, text]): readonly [string, string] => [name, fill(text)]),
    };
  });
}

/** Whatever the value, the page is what it is with a harmless one, and shows the value unchanged. */
function staysInPlace(render: (value: string) => string): void {
  const tokens = tokenize(render("MARK"));
  fc.assert(
    fc.property(hostile, (value) => {
      if (value !== "") assert.deepEqual(tokenize(render(value)), expected(tokens, value));
    }),
    { numRuns: 2000 },
  );
}

describe("whatever is typed", () => {
  test("stays in place between tags", () => {
    staysInPlace((value) => page`<p>${value}</p><b>${[value, html`<i>${value}</i>`]}</b>`);
  });

  test("stays in place in attributes", () => {
    staysInPlace((value) => page`<p title="${value}" data-a='${value}' class="a ${value} b" ?id=${value}>x</p>`);
  });

  test("stays in place in titles, text areas and comments", () => {
    staysInPlace((value) => page`<title>${value}</title><textarea>a${value}</textarea><!--${value}--><p>x</p>`);
  });

  test("stays in place after the start of a URL", () => {
    staysInPlace((value) => page`<a href="/a/${value}?b=${value}#${value}">x</a>`);
  });

  test("is never a script or data in a URL", () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const links = [
          page`<a href="${one}">x</a>`,
          page`<a href=" ${one}${two}">x</a>`,
          page`<a href="java${one}">x</a>`,
        ];
        for (const link of links) {
          const [tag] = tokenize(link);
          const url = tag?.type === "tag" ? (tag.attributes[0]?.[1] ?? "") : "";
          assert.doesNotMatch(schemeOf(url) ?? "", /^(?:javascript|vbscript|data)$/, link);
        }
      }),
      { numRuns: 5000 },
    );
  });

  test("is itself in a script, and ends neither it nor a handler", () => {
    const decode = (script: string): unknown => runInNewContext(script, { a: String });
    fc.assert(
      fc.property(hostile, (value) => {
        const [, script] = tokenize(page`<script>a(${value})</script><p>x</p>`);
        assert.equal(script?.type === "text" ? decode(script.text) : undefined, value);
        const [handler] = tokenize(page`<p onclick="a(${value})">x</p>`);
        assert.equal(handler?.type === "tag" ? decode(handler.attributes[0]?.[1] ?? "") : undefined, value);
        const [, data] = tokenize(page`<script type="application/json">${json({ [value]: [value] })}</script><p>x</p>`);
        assert.deepEqual(
          data?.type === "text" ? JSON.parse(data.text) : undefined,
          Object.fromEntries([[value, [value]]]),
        );
      }),
      { numRuns: 2000 },
    );
  });

  test("changes nothing in a style but the value", () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const [tag, , , sheet] = tokenize(page`<p style="color: ${value}; x: y">a</p><style>b { c: ${value} }</style>`);
        const style = tag?.type === "tag" ? (tag.attributes[0]?.[1] ?? "") : "";
        assert.match(style, /^color: [\w #%.,+!-]*; x: y$/);
        if (sheet?.type === "text") assert.match(sheet.text, /^b \{ c: [\w #%.,+!-]* \}$/);
      }),
    );
  });
});
