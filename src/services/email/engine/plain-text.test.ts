import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, test } from "node:test";
import { namedCharacters, namesWithoutSemicolon } from "./character-references.ts";
import { htmlToText } from "./plain-text.ts";

/** Texts of HTML by subject. */
const corpus: Readonly<Record<string, readonly (readonly [html: string, text: string])[]>> = {
  "text without elements": [
    ["plain", "plain"],
    ["", ""],
    [" \n ", ""],
    ["a < b > c, a<3, <>, </>", "a < b > c, a<3, <>,"],
    ["a &amp b <", "a & b <"],
  ],
  "headings, paragraphs and other blocks": [
    ["<p>One</p><p>Two<br>Three</p>", "One\n\nTwo\nThree"],
    ["<h1>Head</h1>Text<h2>Sub</h2><p>More</p>", "Head\n\nText\n\nSub\n\nMore"],
    ["<div>One</div><div>Two</div>Three<section>Four</section>", "One\nTwo\nThree\nFour"],
    ["<div>One</div><div><br></div><div>Two</div>", "One\n\nTwo"],
    ["<div><p>One</p></div><div><p>Two</p></div>", "One\n\nTwo"],
    ["<p></p><p> </p><p>One</p><p></p><div></div><p>Two</p><p></p>", "One\n\nTwo"],
    ["<p>a<span>b</span>c<b>d</b><wbr>e</p>", "abcde"],
    ["<dl><dt>Term<dd>One<dd>Two<dt>Other<dd>Three</dl>", "Term\n  One\n  Two\nOther\n  Three"],
    ["<figure>One<figcaption>Two</figcaption></figure>Three", "One\nTwo\n\nThree"],
    [
      "<blockquote><p>One<p>Two<blockquote>Three<br>Four</blockquote></blockquote>Five",
      "> One\n>\n> Two\n>\n> > Three\n> > Four\n\nFive",
    ],
    ["He said <q>go</q>.", "He said “go”."],
  ],
  "br and hr": [
    ["One<br>Two<br/>Three<br><br>Four<br><br><br><br>Five", "One\nTwo\nThree\n\nFour\n\nFive"],
    ["<p>One<br></p><p><br>Two</p>", "One\n\nTwo"],
    ["<div>One<br></div>Two", "One\nTwo"],
    ["<br>One <br> Two<br>", "One\nTwo"],
    ["One<hr>Two<p>Three</p><hr/><p>Four", "One\n\n---\n\nTwo\n\nThree\n\n---\n\nFour"],
    ["One</br>Two", "One\nTwo"],
  ],
  "unordered lists": [
    ["<h1>Head</h1>\n <ul><li>a</li>\n<li>b</li></ul>", "Head\n\n- a\n- b"],
    ["<ul><li>a<li>b<ul><li>c<li>d<ol><li>e</ol></ul><li>f</ul>g", "- a\n- b\n  - c\n  - d\n    1. e\n- f\n\ng"],
    ["<ul><li><p>a</p><p>b</p></li><li>c<br>d</li></ul>", "- a\n\n  b\n\n- c\n  d"],
    ["<ul><li></li><li>a</li><li> </li></ul>", "-\n- a\n-"],
    ["<ul><li><ul><li>a</li></ul></li></ul>", "- - a"],
    ['<ul style="list-style: none"><li>a<li>b</ul><menu><li style="list-style-type:none">c</menu>', "a\nb\n\nc"],
    ["<li>a</li><li>b</li>", "- a\n- b"],
    ["<ul><li><blockquote>a<br>b</blockquote></li></ul>", "- > a\n  > b"],
  ],
  "ordered lists": [
    ["<ol><li>a<li>b</ol>", "1. a\n2. b"],
    ['<ol start="9"><li>a<li>b<br>c<li value="20">d<li>e</ol>', "9. a\n10. b\n    c\n20. d\n21. e"],
    ["<ol reversed><li>a<li>b<li>c</ol>", "3. a\n2. b\n1. c"],
    ["<ol reversed start=1><li>a<li>b<li value=-5>c<li>d</ol>", "1. a\n0. b\n-5. c\n-6. d"],
    ['<ol start="x"><li value="">a<li value=" +7 apples">b</ol>', "1. a\n7. b"],
    ['<ol type="a" start="25"><li>a<li>b<li>c</ol>', "y. a\nz. b\naa. c"],
    ['<ol type="A" start="0"><li>a<li>b<li value="703">c</ol>', "0. a\nA. b\nAAA. c"],
    ['<ol type="__proto__"><li>a</ol>', "1. a"],
    ['<ol type="i" start="3"><li>a<li>b<li value="1999">c</ol>', "iii. a\niv. b\nmcmxcix. c"],
    ['<ol type="I" start="3999"><li>a<li>b<li type="1" value="4">c</ol>', "MMMCMXCIX. a\n4000. b\n4. c"],
    ["<ol><li>a<ol><li>b</ol></li>\n<!-- no --><li>c</ol>", "1. a\n   1. b\n2. c"],
  ],
  "tables of data": [
    [
      "<table><tr><td>Quantity</td><td>2</td></tr><tr><th>Total</th><td>10.00</td></tr></table>",
      "Quantity\t2\nTotal\t10.00",
    ],
    [
      "a<table><caption>Sales</caption><thead><tr><th><th>2025<th>2026<tbody><tr><th>Books<td>1<td>2<tr><td>Pens<td><td>3</table>b",
      "a\n\nSales\n\t2025\t2026\nBooks\t1\t2\nPens\t\t3\n\nb",
    ],
    ["<table> <tr>\n <td> a </td>\n <td> b </td>\n </tr> </table>", "a\tb"],
    ["<table><tr><td>Total<td><p>10</p><td>EUR</table>", "Total\n\n10\n\nEUR"],
    ["<table><td>a<td>b</table>", "a\tb"],
    ["<table><tr><td>a<table><tr><td>b<td>c</table><td>d</table>", "a\n\nb\tc\n\nd"],
  ],
  "tables for layout": [
    [
      '<table role="presentation"><tr><td>&nbsp;</td><td>Logo</td></tr><tr><td>Text</td></tr><tr><td>Go<td>Stop</table>',
      "Logo\n\nText\n\nGo\tStop",
    ],
    ["<table role=none><tr><td><table role=none><tr><td>a<tr><td><p>b</table></table>", "a\n\nb"],
    ["<table role=presentation><tr><td><table><tr><td><td>a</table></table>", "\ta"],
  ],
  preformatted: [
    ["<pre>\na\n  b\n\n\n\nc </pre>d", "a\n  b\n\n\n\nc \n\nd"],
    ["<pre>a\r\nb\rc&#13;&#10;d&Tab;e</pre>", "a\nb\nc\nd\te"],
    ["<p>x</p><pre>  a <b> b</b>\n\n</pre><p>y</p>", "x\n\n  a  b\n\ny"],
    ['<p style="color:red; white-space : pre-wrap">a\n  b</p>', "a\n  b"],
    ["<xmp><b>a</b> &amp;</xmp>", "<b>a</b> &amp;"],
    ["<blockquote><pre>a\n\nb</pre></blockquote>", "> a\n>\n> b"],
  ],
  links: [
    ["<a href='https://x.example'>https://x.example</a>", "https://x.example"],
    ['<a href="https://x.example/?a=1&amp;b"><b>Go</b></a>', "Go (https://x.example/?a=1&b)"],
    ["<a href=https://x.example/?a=1&copy=2>Go</a>now", "Go (https://x.example/?a=1&copy=2) now"],
    ['<a href="mailto:a@x.example">a@x.example</a>', "a@x.example"],
    [
      '<a href="mailto:a@x.example?subject=Hi">Write</a>, <a href="tel:+41">call</a>',
      "Write (a@x.example), call (+41)",
    ],
    ['<a href="#top">Top</a> <a name="x">Name</a> <a href="">None</a>', "Top Name None"],
    ['<a href="\n https://x.example/\ty "> Go </a>.', "Go (https://x.example/y)."],
    [
      '<a href="https://x.example"></a> <a href="https://y.example"><img src="x"></a>',
      "https://x.example https://y.example",
    ],
    ['<a href="https://x.example">a<a href="https://y.example">b</a>', "a (https://x.example) b (https://y.example)"],
    ['<A HREF="https://x.example"><IMG ALT="Go" SRC="x"></A>', "Go (https://x.example)"],
  ],
  images: [
    ['<img alt="Logo" src="x"> x', "Logo x"],
    ['<img alt="One"><img alt="Two"><img src="x"><img alt="">Three', "One Two Three"],
    ['Hello <img alt="👋">, <img alt="Ada &amp; Bob">!', "Hello 👋, Ada & Bob!"],
    ["<img alt='a \"b\"' title=no> <img alt=c>", 'a "b" c'],
  ],
  "hidden content": [
    ["<div hidden>Not this</div><p>This</p>", "This"],
    ['<img hidden alt="Counter" src="x"><p>One</p><input hidden>Two', "One\n\nTwo"],
    ["<div hidden><div>a</div>b<p>c</div>d", "d"],
    ['<div style="max-height:0; Display : NONE !important">a</div><span style="visibility:hidden">b</span>c', "c"],
    ['<p style="border:none;text-decoration:none">a</p>', "a"],
    ["<ul><li hidden>a<li>b</ul><table><tr hidden><td>c<tr><td hidden>d<td>e</table>", "- b\n\ne"],
    ["<span hidden><b>a</span>b", "b"],
    ["<dialog>a</dialog><dialog open>b</dialog><template>c</template>d", "b\nd"],
    ["<p hidden>a<p>b", "b"],
  ],
  "style, script and other content that is not text": [
    ["<style>p{}</style><script>x</script><!-- no --><p>&lt;b&gt; &#8364;&#x20ac; &amp;lt;</p>", "<b> €€ &lt;"],
    ["<!doctype html><html><head><title>No</title><style>a > b</style><body>Yes", "Yes"],
    ["<head><title>No</title></head>Yes", "Yes"],
    ["<script>if (a </b) '</scr' + '<p>'</SCRIPT >a<style></styl></style\n>b", "ab"],
    ["<textarea>a</textarea><iframe>b</iframe><noscript>c</noscript>", "c"],
    ["a<script>b", "a"],
    [
      "a<!-->b<!--->c<!-- -- > --!>d<!-- <p> -->e<!x>f<?x>g</ x>h<![CDATA[x]]>i<!--[if mso]>j<![endif]-->k",
      "abcdefghik",
    ],
    ["a<!-- b", "a"],
  ],
  "character references": [
    ["5 &euro; &ndash; &check; &AMP; &apos; &NotEqualTilde; &fjlig;", "5 € – ✓ & ' ≂̸ fj"],
    ["&copy &copyright &notit; &notin; &amplt; &AElig&eacute", "© ©right ¬it; ∉ &lt; Æé"],
    ["&nope; &Euro; &; & &#; &#x; &#xg; &check", "&nope; &Euro; &; & &#; &#x; &#xg; &check"],
    ["&#8364; &#x20AC; &#X20ac &#128512;", "€ € € 😀"],
    ["&#0; &#xd800; &#x110000; &#99999999999999999999;", "\ufffd \ufffd \ufffd \ufffd"],
    ["&#128; &#x93;x&#148; &#x99; &#129;!", "€ “x” ™ \u0081!"],
    ['<img alt="&lt;b&gt; &copy2 &copy= &copy; &notit;"><img alt="&copy!">', "<b> &copy2 &copy= © &notit;©!"],
    ["&lt;script&gt;alert(1)&lt;/script&gt;", "<script>alert(1)</script>"],
  ],
  "white space": [
    [" a \n\t\f\r b <b> c </b> d ", "a b c d"],
    ["<p> a </p> b <span> </span> c", "a\n\nb c"],
    ["10&nbsp;000\u00a0000&nbsp; &nbsp;EUR", "10\u00a0000\u00a0000\u00a0 \u00a0EUR"],
    ["<p>&nbsp; Indented&nbsp;</p><p>&nbsp;</p><p>Next</p>", "Indented\n\nNext"],
    ["<p>\u3000a\u2003b\u3000c\u2009d</p>", "\u3000a\u2003b\u3000c\u2009d"],
    ["<p>Go</p><div>&zwnj;&nbsp;&#847;&#8203;&shy;&zwnj;&nbsp;</div><p>On</p>", "Go\n\nOn"],
    ["می‌خواهم 👩‍💻 Donau&shy;dampf&ZeroWidthSpace;schiff", "می‌خواهم 👩‍💻 Donau\u00addampf\u200bschiff"],
    ['<p dir="rtl">&rlm;שלום (ABC)&lrm;!</p>', "\u200fשלום (ABC)\u200e!"],
  ],
  "broken markup": [
    ["<p>a<div>b</p>c</div>d", "a\n\nb\n\nc\nd"],
    ["<b><p>a</b>b</p>c", "ab\n\nc"],
    ["<ul><li>a</ol><li>b</li></li></ul></ul>c", "- a\n- b\n\nc"],
    ["</div></p></table>a</td></li>", "a"],
    ["<h1>a<h2>b</h1>c", "a\n\nb\n\nc"],
    ["<p title='a>b' x=\"</p>\" y=a/b/ =z ''>c", "c"],
    ["<p a=1 A=2 hidden=>c</p>d", "d"],
    ["<img alt=a/><img/alt='b'><img\nalt\n=\n\"c\"d>", "a/b c"],
    ["a<p class='x", "a"],
    ["a<p class=x", "a"],
    ["a</p", "a"],
    ["<table><tr><td>a</b></div></tr></table>b", "a\n\nb"],
    ["<div hidden><table><tr><td>a</div>b</table>c</div>d", "d"],
    ["<x-y>a</x-y><svg><text>b</text></svg>", "ab"],
    ["\0a", "\0a"],
  ],
};

for (const [subject, examples] of Object.entries(corpus)) {
  describe(`the text of HTML: ${subject}`, () => {
    for (const [html, text] of examples) test(JSON.stringify(html), () => assert.equal(htmlToText(html), text));
  });
}

describe("the text of HTML", () => {
  test("decodes the 2,231 named character references of the standard", () => {
    const names = [...namedCharacters.matchAll(/[:,](\w+)/g)].map(([, name = ""]) => `${name};`);
    const decoded = [...names, ...namesWithoutSemicolon.trim().split(/\s+/)]
      .map((name) => [`&${name}`, htmlToText(`<pre>[&${name}]</pre>`).slice(1, -1)] as const)
      .map(([reference, characters]) => `${reference} ${characters}\n`);
    assert.equal(decoded.length, 2231);
    // SHA-256 of the table of the standard, sorted: <https://html.spec.whatwg.org/entities.json>.
    assert.equal(
      hash("sha256", decoded.toSorted().join("")),
      "82a449ba88a50556aa173d0bf3efd811c09075fd42dc89328404463bd19860f7",
    );
  });

  test("takes linear time for any HTML", () => {
    const tokens = ["<", "<a href='", "<!--", "<!", "</", "&#", "&a", "<div hidden", "\n ", "<td ", "<a b=", "<a b  "];
    const elements = [
      "<div>",
      "<p>",
      "<blockquote>x<br>",
      "<ul><li>",
      "<b></p>",
      "<table><td>",
      "<a><p>",
      "<td>",
      "<ol>",
    ];
    // A quadratic algorithm would exceed the time limit of a test.
    for (const token of tokens) htmlToText(token.repeat(200_000 / token.length));
    for (const element of elements) htmlToText(element.repeat(100_000 / element.length));
    htmlToText(`<${"a".repeat(200_000)}`);
    htmlToText(`&${"a".repeat(200_000)}`);
    htmlToText(`${"<blockquote>".repeat(512)}${"x<br>".repeat(10_000)}`);
  });
});
