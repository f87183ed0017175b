// Validation of messages, before any transport.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { isError } from "../../../core/index.ts";
import { html, unsafeHtml } from "../../../html/index.ts";
import type { CapturedMail, EmailAttachment, EmailMessage } from "../contract.ts";
import { button, layout } from "../../../mail-layout/index.ts";
import { message } from "../mail-server.test.ts";
import { memory } from "../transport/memory/memory.ts";
import { formatMailbox, parseSender } from "./headers.ts";
import { htmlToText } from "./plain-text.ts";
import { mailFromJson, mailToJson } from "./sealed-mail.ts";

async function validate(more: Partial<EmailMessage>): Promise<CapturedMail> {
  const email = memory();
  await email.send(message(more));
  return email.inbox.all()[0] as CapturedMail;
}

const assertRefused = (more: Partial<EmailMessage>, code: string, pattern: RegExp): Promise<void> =>
  assert.rejects(validate(more), (error) => isError(error, code) && pattern.test(error.message), String(pattern));

describe("an address", () => {
  test("keeps its local part, and its domain becomes ASCII in lower case", async () => {
    for (const [typed, sent] of [
      ["ada@example.com", "ada@example.com"],
      ["Ada.Lovelace+todo@EXAMPLE.com", "Ada.Lovelace+todo@example.com"],
      ["!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"],
      ["ada@bücher.example", "ada@xn--bcher-kva.example"],
      ["ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"],
      ["root@localhost", "root@localhost"],
      [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
    ] as const) {
      const mail = await validate({ recipient: typed });
      assert.equal(mail.recipients[0]?.address, sent);
    }
  });
});

describe("a mailbox", () => {
  test("is configured as an address, or as a name and an address in angle brackets", () => {
    const ada = { address: "ada@example.com" };
    for (const [text, mailbox] of [
      ["ada@example.com", ada],
      ["ada@EXAMPLE.com", ada],
      ["<ada@example.com>", ada],
      ["Ada Lovelace <ada@example.com>", { name: "Ada Lovelace", ...ada }],
      ["Ada<ada@example.com>", { name: "Ada", ...ada }],
      ["Ada  \u00a0<ada@example.com>", { name: "Ada", ...ada }],
      [`${"x".repeat(200)} <ada@example.com>`, { name: "x".repeat(200), ...ada }],
    ] as const) {
      assert.deepEqual(parseSender(text), { ok: true, value: mailbox }, text);
    }
    for (const [text, problem] of [
      ["", "has no @"],
      ["Ada <>", "has no @"],
      ["Ada <nobody>", "has no @"],
      ["<Ada> <ada@example.com>", "is not one address: pass a name as { name, address }"],
      ["Ada <ada@example.com> x", "is not one address"],
      ["A\0da <ada@example.com>", "contains a line break or another control character"],
      ["=?utf-8?q?x?= <ada@example.com>", "contains an encoded word"],
      [`${"x".repeat(201)} <ada@example.com>`, "is longer than 200 characters"],
    ] as const) {
      assert.deepEqual(parseSender(text), { ok: false, error: problem }, text);
    }
  });

  test("has a name of at most 200 characters, and is formatted for display", async () => {
    const address = "ada@example.com";
    const mail = await validate({ recipient: [{ name: "x".repeat(200), address }], replyTo: { name: "", address } });
    assert.deepEqual([mail.recipients[0]?.name?.length, mail.replyTo], [200, { address }]);
    await assertRefused(
      { recipient: { name: "x".repeat(201), address } },
      "E_EMAIL_ADDRESS",
      /longer than 200 characters/,
    );
    await assertRefused({ recipient: { name: 7 as never, address } }, "E_EMAIL_ADDRESS", /is not text/);
    assert.deepEqual(
      [formatMailbox({ name: "Ada", address }), formatMailbox({ address })],
      [`Ada <${address}>`, address],
    );
  });
});

describe("a mail", () => {
  test("needs a recipient, a subject and a content", async () => {
    await assertRefused({ recipient: [] }, "E_EMAIL_MESSAGE", /recipient is missing/);
    await assert.rejects(memory().send({ recipient: "a@example.com", subject: "x" }), { code: "E_EMAIL_MESSAGE" });
    await assert.rejects(memory().send({ recipient: "a@example.com", text: "x" } as EmailMessage), {
      code: "E_EMAIL_MESSAGE",
    });
    await assertRefused({ recipient: undefined as never }, "E_EMAIL_MESSAGE", /recipient is missing/);
    await assertRefused({ recipient: 7 as never }, "E_EMAIL_ADDRESS", /is not text/);
  });

  test("has at most 100 recipients", async () => {
    const people = (count: number, start = 0): string[] =>
      Array.from({ length: count }, (_, index) => `user${start + index}@example.com`);
    assert.equal((await validate({ recipient: people(100) })).recipients.length, 100);
    await assertRefused({ recipient: people(101) }, "E_EMAIL_MESSAGE", /longer than 100/);
    await assertRefused({ recipient: people(60), bcc: people(60, 60) }, "E_EMAIL_MESSAGE", /longer than 100/);
  });

  test("names the invalid field in the error", async () => {
    const address = "nobody";
    for (const [part, pattern] of [
      [{ sender: address }, /^The sender of a mail, "nobody", has no @\.$/],
      [{ recipient: address }, /^The recipient of a mail, "nobody", /],
      [{ cc: address }, /^The cc of a mail, "nobody", /],
      [{ bcc: address }, /^The bcc of a mail, "nobody", /],
      [{ replyTo: address }, /^The reply address of a mail, "nobody", /],
    ] as const) {
      await assertRefused(part, "E_EMAIL_ADDRESS", pattern);
    }
    const ada = "ada@example.com";
    for (const [part, pattern] of [
      [{ cc: Array.from({ length: 101 }, () => ada) }, /its cc is longer than 100\.$/],
      [{ recipient: Array.from({ length: 101 }, () => ada) }, /its recipient is longer than 100\.$/],
      [{ subject: undefined as never }, /its subject is missing\.$/],
      [{ subject: "x".repeat(999) }, /its subject is longer than 998 characters\.$/],
      [{ text: undefined as never }, /its content is missing: give text or html\.$/],
      [{ text: 7 as never }, /its text is not text\.$/],
      [{ text: "x".repeat(500_001) }, /its text is longer than 500,000 characters\.$/],
      [{ html: unsafeHtml("x".repeat(500_001)) }, /its html is longer than 500,000 characters\.$/],
      [{ tags: Array.from({ length: 11 }, () => "x") }, /its list of tags is longer than 10\.$/],
      [{ tags: ["a b"] }, /its tag has characters other than letters/],
      [{ tags: [""] }, /its tag has characters other than letters/],
      [{ tags: ["x".repeat(101)] }, /its tag has characters other than letters/],
    ] as const) {
      await assertRefused(part, "E_EMAIL_MESSAGE", pattern);
    }
  });

  test("may reach every limit, and an address counts once", async () => {
    const text = "x".repeat(500_000);
    const tags = [...Array.from({ length: 9 }, (_, index) => `tag-${index}`), "a:b.c_D-1".padEnd(100, "x")];
    const mail = await validate({ subject: "x".repeat(998), text, html: unsafeHtml(text), tags });
    assert.deepEqual([mail.subject.length, mail.text, mail.html, mail.tags], [998, text, text, tags]);
    assert.deepEqual((await validate({ tags: ["a", "b", "a"] })).tags, ["a", "b"]);
    const many = Array.from({ length: 100 }, () => "ada@example.com");
    assert.deepEqual((await validate({ recipient: many, cc: many, bcc: ["ADA@example.com", "b@c"] })).bcc, [
      { address: "b@c" },
    ]);
  });

  test("has only allowed headers", async () => {
    const headers = {
      "X-Test": "a",
      "x-test-2": "=??b?x?=",
      "List-Id": "<todo.example.com>",
      "Auto-Submitted": "auto-generated",
      "in-reply-to": "<1@example.com>",
      References: "<1@example.com>",
      Precedence: "bulk",
      Importance: "high",
      "Feedback-ID": "1:todo",
      ["X-".padEnd(76, "x")]: "x".repeat(998),
    };
    assert.deepEqual((await validate({ headers })).headers, Object.entries(headers));
    for (const [name, value, pattern] of [
      ["Bcc", "a", /its header "Bcc" is not an allowed header\.$/],
      ["Not-X-Test", "a", /its header "Not-X-Test" is not an allowed header\.$/],
      ["References-2", "a", /is not an allowed header\.$/],
      ["List-", "a", /is not an allowed header\.$/],
      ["List-I d", "a", /is not an allowed header\.$/],
      ["X-".padEnd(77, "x"), "a", /is not an allowed header\.$/],
      ["X-Test", "x".repeat(999), /its header "X-Test" is longer than 998 characters\.$/],
      ["X-Test", 7 as never, /its header "X-Test" is not text\.$/],
      ["X-Test", "=?utf-8?b??=", /its header "X-Test" contains an encoded word/],
    ] as const) {
      await assertRefused({ headers: { [name]: value } }, "E_EMAIL_MESSAGE", pattern);
    }
    await assertRefused({ headers: { ["Y".repeat(100)]: "x" } }, "E_EMAIL_MESSAGE", /its header "Y{80}" is not/);
  });

  test("accepts only HTML created by html", async () => {
    for (const page of ["<p>x</p>", { toString: () => "<p>x</p>" }, JSON.parse('{"html":"x"}') as unknown]) {
      await assertRefused({ html: page as never }, "E_EMAIL_MESSAGE", /html was not created by html/);
    }
  });

  test("has an https unsubscribe URL", async () => {
    await assertRefused({ unsubscribe: "http://example.com" }, "E_EMAIL_MESSAGE", /unsubscribe is not an https URL/);
    await assertRefused({ unsubscribe: "mailto:a@example.com" }, "E_EMAIL_MESSAGE", /not an https URL/);
    const mail = await validate({ unsubscribe: "https://example.com/a b>,<c" });
    assert.equal(mail.headers[0]?.[1], "<https://example.com/a%20b%3E,%3Cc>");
    const longest = "https://example.com/".padEnd(900, "x");
    assert.equal((await validate({ unsubscribe: longest })).headers[0]?.[1], `<${longest}>`);
    await assertRefused(
      { unsubscribe: `${longest}x` },
      "E_EMAIL_MESSAGE",
      /its unsubscribe is longer than 900 characters\.$/,
    );
  });

  test("replaces NUL and lone surrogates in its text, and refuses them in its subject", async () => {
    assert.equal((await validate({ text: "a\0b" })).text, "a\ufffdb");
    assert.equal((await validate({ text: "a\ud800b" })).text, "a\ufffdb");
    await assertRefused({ subject: "a\ud800b" }, "E_EMAIL_MESSAGE", /lone surrogate/);
  });

  test("is unchanged by conversion to JSON and back", async () => {
    const mail = await validate({
      html: html`<p>ü</p>`,
      replyTo: "a@example.com",
      attachments: [
        { name: "x", content: Uint8Array.of(0, 128, 255), cid: "c" },
        { name: "y", content: "" },
      ],
    });
    assert.deepEqual([mail.replyTo, mail.attachments[0]?.cid], [{ address: "a@example.com" }, "c"]);
    const { captured_at: _, ...rest } = mail;
    const read = mailFromJson(JSON.parse(JSON.stringify(mailToJson(rest))) as ReturnType<typeof mailToJson>);
    assert.deepEqual(read, { ...rest, attachments: read.attachments });
    assert.deepEqual([read.replyTo, read.attachments[0]?.cid], [mail.replyTo, "c"]);
    assert.deepEqual(mailToJson(read), mailToJson(rest));
    assert.deepEqual(Array.from(read.attachments[0]?.content ?? []), [0, 128, 255]);
  });
});

describe("an attachment", () => {
  const folder = mkdtempSync(join(tmpdir(), "limmat-mail-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const root = join(folder, "files");
  mkdirSync(join(root, "sub"), { recursive: true });
  writeFileSync(join(root, "sub", "a.pdf"), "%PDF");
  writeFileSync(join(folder, "secret"), "s3cr3t");
  mkdirSync(join(folder, "files-too"));
  writeFileSync(join(folder, "files-too", "x"), "s3cr3t");
  symlinkSync(join(folder, "secret"), join(root, "link"));

  test("is read from a file below its root", async () => {
    const { attachments } = await validate({ attachments: [{ root, path: "sub/a.pdf" }] });
    assert.deepEqual(
      attachments.map(({ name, type, content }) => [name, type, Buffer.from(content).toString()]),
      [["a.pdf", "application/pdf", "%PDF"]],
    );
    const [named] = (
      await validate({ attachments: [{ root, path: "sub/a.pdf", name: "Invoice.pdf", type: "text/plain" }] })
    ).attachments;
    assert.deepEqual([named?.name, named?.type], ["Invoice.pdf", "text/plain"]);
  });

  test("may be any file if its root is the root of the file system", async () => {
    const path = join(root, "sub", "a.pdf").slice(1);
    assert.equal((await validate({ attachments: [{ root: "/", path }] })).attachments[0]?.name, "a.pdf");
  });

  test("is never read from outside its root", async () => {
    const paths = [
      "../secret",
      "sub/../../secret",
      join(folder, "secret"),
      "link",
      "../files-too/x",
      "",
      ".",
      "sub",
      "none",
      "a\0",
      "/etc/passwd",
    ];
    for (const path of paths)
      await assertRefused({ attachments: [{ root, path, name: "x" }] }, "E_EMAIL_ATTACHMENT", /x|file|path/);
    await assertRefused({ attachments: [{ root: "files", path: "sub/a.pdf" }] }, "E_EMAIL_ATTACHMENT", /absolute/);
  });

  test("refuses an invalid name, media type or cid", async () => {
    const wrong: readonly (readonly [Partial<EmailAttachment>, RegExp])[] = [
      [{ name: "a/b" }, /without folders/],
      [{ name: "a\\b" }, /without folders/],
      [{ name: "" }, /without folders/],
      [{ type: "html" }, /media type/],
      [{ type: 'text/html; x="a"' }, /media type/],
      [{ type: "x text/html" }, /media type/],
      [{ type: "/html" }, /media type/],
      [{ type: "text/" }, /media type/],
      [{ type: "text/html; =a" }, /media type/],
      [{ type: "text/html; a=" }, /media type/],
      [{ type: "text/html; a=b c" }, /media type/],
      [{ type: `text/${"x".repeat(196)}` }, /media type/],
      [{ name: "x".repeat(201) }, /is longer than 200 characters/],
      [{ cid: "" }, /cid/],
      [{ cid: "a@" }, /cid/],
      [{ cid: "a@b c" }, /cid/],
      [{ cid: "a b" }, /cid/],
      [{ cid: "<a>" }, /cid/],
    ];
    for (const [part, pattern] of wrong) {
      const attachment = { name: "x", content: "", ...part } as EmailAttachment;
      await assertRefused({ attachments: [attachment] }, "E_EMAIL_ATTACHMENT", pattern);
    }
  });

  test("accepts any valid media type and cid", async () => {
    for (const type of ["text/html; charset=utf-8", "text/html;a-b=c.d", `text/${"x".repeat(195)}`, "a/b+c"]) {
      const given = { name: "x".repeat(200), content: "ü\ud800", type, cid: "a.b-c@d.e" };
      const [attachment] = (await validate({ attachments: [given] })).attachments;
      assert.deepEqual([attachment?.type, attachment?.cid], [type, given.cid]);
      assert.equal(Buffer.from(attachment?.content ?? []).toString(), "ü\ufffd");
    }
  });

  test("is one of at most 50", async () => {
    const many = Array.from({ length: 50 }, () => ({ name: "x", content: "" }));
    assert.equal((await validate({ attachments: many })).attachments.length, 50);
    const more = [...many, { name: "x", content: "" }];
    await assertRefused({ attachments: more }, "E_EMAIL_ATTACHMENT", /its attachment "list" has more than 50 files\.$/);
  });

  test("counts towards the total limit, to the byte", async () => {
    const mebibyte = 1024 * 1024;
    const largest = { name: "x", content: new Uint8Array(6 * mebibyte) };
    assert.equal((await validate({ attachments: [largest, { name: "y", content: "" }] })).attachments.length, 2);
    const oneByte = { name: "y", content: "1" };
    await assertRefused(
      { attachments: [largest, oneByte] },
      "E_EMAIL_ATTACHMENT",
      /"y" exceeds the total limit of 6 MiB/,
    );
    const file = { root, path: "sub/a.pdf" };
    const fits = { name: "x", content: new Uint8Array(6 * mebibyte - 4) };
    assert.equal((await validate({ attachments: [fits, file] })).attachments.length, 2);
    await assertRefused(
      { attachments: [fits, oneByte, file] },
      "E_EMAIL_ATTACHMENT",
      /its attachment "sub\/a.pdf" is too large\.$/,
    );
  });

  test("is refused if the total exceeds the limit", async () => {
    const half = { name: "x", content: new Uint8Array(4 * 1024 * 1024) };
    assert.equal((await validate({ attachments: [half] })).attachments.length, 1);
    await assertRefused({ attachments: [half, half] }, "E_EMAIL_ATTACHMENT", /total limit of 6 MiB/);
  });
});

test("a layout is a complete document with its options, and its text omits hidden parts", () => {
  const link = "https://example.com/confirm?a=1&b=2";
  const page = layout(
    { title: "Wel<come", preview: "Behind the subject", header: "To-dos", footer: html`<p>Bye</p>`, language: "de" },
    html`<h1>Hello</h1>
      ${button("Confirm", link)}`,
  );
  assert.match(String(page), /^<!doctype html>\s*<html lang="de">/);
  assert.match(String(page), /<title>Wel&lt;come<\/title>/);
  assert.equal(htmlToText(String(page)), `To-dos\n\nHello\n\nConfirm (${link})\n\nBye`);
  assert.doesNotMatch(String(button("x", "javascript:alert(1)")), /javascript/);
  assert.match(htmlToText(String(layout({ title: "x" }, unsafeHtml("y")))), /^y$/);
});
