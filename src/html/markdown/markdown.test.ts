import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { html, isHtml } from "../index.ts";
import { renderMarkdown } from "./markdown.ts";
import { rounds } from "../../../test/rounds.ts";

const rendered = (text: string): string => String(renderMarkdown(text)).trim();

describe("Markdown", () => {
  test("is rendered as safe HTML for a template", () => {
    const fragment = renderMarkdown("**Hello** [site](/a?b=1&c=2)");
    assert.ok(isHtml(fragment));
    assert.equal(
      String(html`<div>${fragment}</div>`),
      '<div><p><strong>Hello</strong> <a href="/a?b=1&amp;c=2">site</a></p>\n</div>',
    );
  });

  test("shows HTML of the text as text", () => {
    assert.equal(rendered("<script>run()</script>"), "<p>&lt;script&gt;run()&lt;/script&gt;</p>");
    assert.equal(rendered("a <b onclick=x>b</b>"), "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>");
    assert.doesNotMatch(rendered("<!-- a --> <?php ?> <![CDATA[a]]>\n\n<div>\n**a**\n</div>"), /<(?!\/?(?:p|strong)>)/);
  });

  test("has links and images of safe URLs only", () => {
    for (const url of ["/a", "#a", "https://example.com", "mailto:a@example.com", "//example.com"]) {
      assert.match(rendered(`[a](${url})`), /^<p><a href=/, url);
    }
    for (const url of [
      "javascript:run()",
      "JaVaScRiPt:run()",
      "java&#10;script:run()",
      "&#106;avascript:run()",
      "%6aavascript:run()",
      "vbscript:a",
      "file:///etc/passwd",
      "data:text/html,a",
      "data:image/svg+xml;base64,PHN2Zz4=",
      "x-app:run",
    ]) {
      for (const text of [`[a](<${url}>)`, `![a](<${url}>)`, `[a]\n\n[a]: <${url}>`, `<${url}>`]) {
        const sent = /(?:href|src)="([^"]*)"/.exec(rendered(text))?.[1];
        assert.ok(
          sent === undefined || !/^[\s\0]*(?:java|vb)?script|^(?:data|file|x-app):/i.test(sent),
          `${text}: ${sent}`,
        );
      }
    }
  });

  test("has headings from the given level on, and aligned cells without style attributes", () => {
    assert.equal(
      String(renderMarkdown("# a\n\nb\n=\n\n###### c", { headingLevel: 3 })),
      "<h3>a</h3>\n<h3>b</h3>\n<h6>c</h6>\n",
    );
    const text = "| a | b |\n| :- | -: |\n| 1 | 2 |";
    assert.doesNotMatch(rendered(text), /<table/);
    const table = String(renderMarkdown(text, { tables: true }));
    assert.match(table, /<th align="right">b<\/th>/);
    assert.doesNotMatch(table, /style/);
  });

  test("has link references, but none that make the text much longer", () => {
    assert.match(
      rendered(`${"[a] ".repeat(100)}\n\n[a]: /b "c"`),
      /^(?:<p>)?(?:<a href="\/b" title="c">a<\/a>\s*){100}<\/p>$/,
    );
    for (const reference of [`/${"b".repeat(30_000)}`, `/b "${"c".repeat(30_000)}"`])
      assert.ok(rendered(`[a]: ${reference}\n\n${"[a]".repeat(10_000)}`).length < 1_000_000);
  });

  test("of any text has no element, attribute or URL that runs code", () => {
    const piece = fc.constantFrom(
      ..."<>\"'`()[]!&#\\ \n*_:".split(""),
      "script",
      "javascript:",
      "onerror=",
      "a",
      "](",
      "<a ",
      "data:",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = rendered(pieces.join(""));
        assert.doesNotMatch(text, /<(?:script|style|iframe)|<[^>]*\son\w+=/i);
        for (const [, url = ""] of text.matchAll(/(?:href|src)="([^"]*)"/g))
          assert.doesNotMatch(url, /^(?:javascript|data):/i);
      }),
      { numRuns: rounds(500) },
    );
  });
});
