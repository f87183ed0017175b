import assert from "node:assert/strict";
import { test } from "node:test";
import { html } from "../html/index.ts";
import { layout, linkMessage } from "./index.ts";

const message = linkMessage(
  {
    subject: "Set a <new> password",
    before: ["Somebody asked & waits.", "Open this page:"],
    link: "Set it",
    after: ["Do nothing otherwise."],
  },
  "https://example.com/reset?token=a&b=c",
);

test("a message has the same words as text and as HTML", () => {
  assert.equal(
    message.text,
    "Somebody asked & waits.\n\nOpen this page:\n\nhttps://example.com/reset?token=a&b=c\n\nDo nothing otherwise.\n",
  );
  const page = String(message.html);
  for (const part of [
    "<title>Set a &lt;new&gt; password</title>",
    "<h1>Set a &lt;new&gt; password</h1>",
    "<p>Somebody asked &amp; waits.</p><p>Open this page:</p>",
    'href="https://example.com/reset?token=a&amp;b=c"',
    "<p>Do nothing otherwise.</p>",
  ])
    assert.ok(page.includes(part), part);
  // The host above the card says which site has sent the mail.
  assert.match(page, />example\.com<\/td>/);
});

test("a message without a link has only its paragraphs", () => {
  const { text, html: page } = linkMessage({ subject: "Changed", before: ["One.", "Two."] });
  assert.equal(text, "One.\n\nTwo.\n");
  assert.doesNotMatch(String(page), /<a /);
});

test("a mail has the colors of the template, in a light and a dark scheme", () => {
  const page = String(layout({ title: "Title" }, html`<p>Text</p>`));
  for (const color of ["#f4f7f9", "#14202b", "#0f161d", "#e8eef4"]) assert.ok(page.includes(color), color);
});
