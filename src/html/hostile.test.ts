import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { anyCharacter } from "../../test/any-character.ts";
import { html, type HtmlValue, json } from "./index.ts";
import { type Token, tokenize } from "./tokens.test.ts";
import { schemeOf } from "./url.ts";
import { rounds } from "../../test/rounds.ts";

const page = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): string =>
  String(html(strings, ...values));

/** Fragments of attacks. Every combination must print as plain text. */
const fragments: readonly string[] = [
  "< > \" ' & ; : = / \\ - ! ? ` # % ( ) { } [ ] $ @ , . a 0 \t \n \r \f \0 \u000b \u00a0 \u2028 \u2029 \ufeff \u202e \ud800 \udc00",
  "<script> </script </script> </textarea> </title\n </style\t <!-- --> --!> <![CDATA[ ]]> </ <a <p/>",
  "javascript: JAVASCRIPT: data: vbscript: java\nscript &#106; &colon; &lt; &amp; &quot; %3c href srcdoc",
  "onload= onerror=alert(1) alert(1) ${1} \\u003c \\x3c */ // /* expression( url( __proto__ constructor",
  "ﬁ İ ſcript ＜ 👍🏽 Ω≈ç√ 日本語",
].flatMap((line) => [" ", ...line.split(" ")]);

const hostile: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...fragments), { maxLength: 8 }).map((parts) => parts.join("")),
  fc.string({ unit: anyCharacter }),
);

/** Returns the tokens with each `MARK` replaced by the value. */
function replaceMark(tokens: readonly Token[], value: string): readonly Token[] {
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

/** Asserts that every hostile value leaves the page structure unchanged and is shown as it is. */
function assertStaysText(render: (value: string) => string): void {
  const tokens = tokenize(render("MARK"));
  fc.assert(
    fc.property(hostile, (value) => {
      if (value !== "") assert.deepEqual(tokenize(render(value)), replaceMark(tokens, value));
    }),
    { numRuns: rounds(2000) },
  );
}

describe("a hostile value", () => {
  test("stays text between tags", () => {
    assertStaysText((value) => page`<p>${value}</p><b>${[value, html`<i>${value}</i>`]}</b>`);
  });

  test("stays text in attributes", () => {
    assertStaysText((value) => page`<p title="${value}" data-a='${value}' class="a ${value} b" ?id=${value}>x</p>`);
  });

  test("stays text in titles, text areas and comments", () => {
    assertStaysText((value) => page`<title>${value}</title><textarea>a${value}</textarea><!--${value}--><p>x</p>`);
  });

  test("stays text after the start of a URL", () => {
    assertStaysText((value) => page`<a href="/a/${value}?b=${value}#${value}">x</a>`);
  });

  test("never becomes a script or data URL", () => {
    fc.assert(
      fc.property(hostile, hostile, (first, second) => {
        const links = [
          page`<a href="${first}">x</a>`,
          page`<a href=" ${first}${second}">x</a>`,
          page`<a href="java${first}">x</a>`,
        ];
        for (const link of links) {
          const [tag] = tokenize(link);
          const url = tag?.type === "tag" ? (tag.attributes[0]?.[1] ?? "") : "";
          assert.doesNotMatch(schemeOf(url) ?? "", /^(?:javascript|vbscript|data)$/, link);
        }
      }),
      { numRuns: rounds(5000) },
    );
  });

  test("keeps its value in a script and ends neither the script nor an event handler", () => {
    const evaluate = (script: string): unknown => runInNewContext(script, { a: String });
    fc.assert(
      fc.property(hostile, (value) => {
        const [, script] = tokenize(page`<script>a(${value})</script><p>x</p>`);
        assert.equal(script?.type === "text" ? evaluate(script.text) : undefined, value);
        const [handler] = tokenize(page`<p onclick="a(${value})">x</p>`);
        assert.equal(handler?.type === "tag" ? evaluate(handler.attributes[0]?.[1] ?? "") : undefined, value);
        const [, data] = tokenize(page`<script type="application/json">${json({ [value]: [value] })}</script><p>x</p>`);
        assert.deepEqual(
          data?.type === "text" ? JSON.parse(data.text) : undefined,
          Object.fromEntries([[value, [value]]]),
        );
      }),
      { numRuns: rounds(2000) },
    );
  });

  test("changes nothing but the value of a style", () => {
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
