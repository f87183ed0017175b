import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, test } from "node:test";
import { html } from "../../html/index.ts";
import { pagePolicy, pageStyle, renderPage, sharedStyle } from "./index.ts";

const pageOf = (options: Partial<Parameters<typeof renderPage>[0]> = {}): string =>
  String(renderPage({ title: "Title", content: html`<h1>Heading</h1>`, ...options }));
const styleOf = (page: string): string => /<style[^>]*>([^<]*)<\/style>/.exec(page)?.[1] ?? "";

describe("a built-in page", () => {
  test("has a style that its policy allows by hash", () => {
    const style = pageStyle(".extra{color:red}");
    const digest = hash("sha256", styleOf(pageOf({ style })), "base64");
    assert.equal(
      pagePolicy(style),
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    assert.match(styleOf(pageOf({ style })), /\.extra\{color:red\}$/);
  });

  test("may extend and replace directives of the policy", () => {
    const policy = pagePolicy(sharedStyle, { "form-action": "'self'", "frame-src": "'self'" });
    assert.match(policy, /; form-action 'self'; frame-ancestors 'none'; frame-src 'self'$/);
    assert.doesNotMatch(policy, /form-action 'none'/);
  });

  test("may carry a nonce", () => {
    assert.match(pageOf({ nonce: "abc" }), /<style nonce="abc">/);
    assert.equal(styleOf(pageOf({ nonce: "abc" })), sharedStyle.css);
  });

  test("below the policy of the application has an empty icon, which needs no request", () => {
    assert.match(pageOf({ nonce: "abc" }), /<link rel="icon" href="data:," \/>/);
    // The policy of the other pages allows no image.
    assert.doesNotMatch(pageOf(), /rel="icon"/);
  });

  test("escapes its title", () => {
    assert.match(pageOf({ title: "<b>" }), /<title>&lt;b&gt;<\/title>/);
  });

  test("is centered or wide, and refreshes only on request", () => {
    assert.match(pageOf(), /<body class="wide">/);
    assert.match(pageOf({ isCentered: true }), /<body class="centered">/);
    assert.doesNotMatch(pageOf(), /http-equiv/);
    assert.match(pageOf({ refreshSeconds: 5 }), /<meta http-equiv="refresh" content="5" \/>/);
  });

  test("has a dark theme, a visible focus and a narrow layout", () => {
    assert.match(sharedStyle.css, /color-scheme:light dark/);
    assert.match(sharedStyle.css, /:focus-visible\{outline:3px/);
    assert.match(sharedStyle.css, /@media\(max-width:40rem\)/);
  });
});
