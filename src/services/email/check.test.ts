// What a mail becomes before any transport sees it.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { isError } from "../../core/index.ts";
import { html, unsafeHtml } from "../../html/index.ts";
import type { EmailAttachment, EmailMessage, KeptMail } from "./contract.ts";
import { button, layout } from "./layout.ts";
import { fromJson, toJson } from "./mail-json.ts";
import { message } from "./mail-server.test.ts";
import { readSender, showMailbox } from "./mailbox.ts";
import { memory } from "./memory.ts";
import { plainText } from "./plain-text.ts";

async function kept(more: Partial<EmailMessage>): Promise<KeptMail> {
  const email = memory();
  await email.send(message(more));
  return email.inbox.all()[0] as KeptMail;
}

const refused = (more: Partial<EmailMessage>, code: string, about: RegExp): Promise<void> =>
  assert.rejects(kept(more), (error) => isError(error, code) && about.test(error.message), String(about));

describe("an address", () => {
  test("is taken as people write it, its domain as mail carries it", async () => {
    for (const [typed, sent] of [
      ["ada@example.com", "ada@example.com"],
      ["Ada.Lovelace+todo@EXAMPLE.com", "Ada.Lovelace+todo@example.com"],
      ["!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"],
      ["ada@bücher.example", "ada@xn--bcher-kva.example"],
      ["ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"],
      ["root@localhost", "root@localhost"],
      [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
    ] as const) {
      const mail = await kept({ recipient: typed });
      assert.equal(mail.recipients[0]?.address, sent);
    }
  });
});

describe("a mailbox", () => {
  test("is an address, alone or behind a name in angle brackets, in a configuration", () => {
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
      assert.deepEqual(readSender(text), { ok: true, value: mailbox }, text);
    }
    for (const [text, problem] of [
      ["", "has no @"],
      ["Ada <>", "has no @"],
      ["Ada <nobody>", "has no @"],
      ["<Ada> <ada@example.com>", "is not one address: with a name it is { name, address }"],
      ["Ada <ada@example.com> x", "is not one address"],
      ["A\0da <ada@example.com>", "has a line break or another control character in it"],
      ["=?utf-8?q?x?= <ada@example.com>", "has a word in it that is encoded for mail already"],
      [`${"x".repeat(201)} <ada@example.com>`, "is longer than 200 characters"],
    ] as const) {
      assert.deepEqual(readSender(text), { ok: false, error: problem }, text);
    }
  });

  test("has a name of at most 200 characters, and is shown as people write it", async () => {
    const address = "ada@example.com";
    const mail = await kept({ recipient: [{ name: "x".repeat(200), address }], replyTo: { name: "", address } });
    assert.deepEqual([mail.recipients[0]?.name?.length, mail.replyTo], [200, { address }]);
    await refused({ recipient: { name: "x".repeat(201), address } }, "E_EMAIL_ADDRESS", /longer than 200 characters/);
    await refused({ recipient: { name: 7 as never, address } }, "E_EMAIL_ADDRESS", /is no text/);
    assert.deepEqual([showMailbox({ name: "Ada", address }), showMailbox({ address })], [`Ada <${address}>`, address]);
  });
});

describe("a mail", () => {
  test("needs somebody to go to, a subject and a content", async () => {
    await refused({ recipient: [] }, "E_EMAIL_MESSAGE", /recipient is missing/);
    await assert.rejects(memory().send({ recipient: "a@example.com", subject: "x" }), { code: "E_EMAIL_MESSAGE" });
    await assert.rejects(memory().send({ recipient: "a@example.com", text: "x" } as EmailMessage), {
      code: "E_EMAIL_MESSAGE",
    });
    await refused({ recipient: undefined as never }, "E_EMAIL_MESSAGE", /recipient is missing/);
    await refused({ recipient: 7 as never }, "E_EMAIL_ADDRESS", /is no text/);
  });

  test("goes to at most 100 addresses", async () => {
    const people = (count: number, start = 0): string[] =>
      Array.from({ length: count }, (_, index) => `user${start + index}@example.com`);
    assert.equal((await kept({ recipient: people(100) })).recipients.length, 100);
    await refused({ recipient: people(101) }, "E_EMAIL_MESSAGE", /longer than 100/);
    await refused({ recipient: people(60), bcc: people(60, 60) }, "E_EMAIL_MESSAGE", /longer than 100/);
  });

  test("names the place of what is wrong", async () => {
    const address = "nobody";
    for (const [part, about] of [
      [{ sender: address }, /^The sender of a mail, "nobody", has no @\.$/],
      [{ recipient: address }, /^The recipient of a mail, "nobody", /],
      [{ cc: address }, /^The cc of a mail, "nobody", /],
      [{ bcc: address }, /^The bcc of a mail, "nobody", /],
      [{ replyTo: address }, /^The reply address of a mail, "nobody", /],
    ] as const) {
      await refused(part, "E_EMAIL_ADDRESS", about);
    }
    const ada = "ada@example.com";
    for (const [part, about] of [
      [{ cc: Array.from({ length: 101 }, () => ada) }, /its cc is longer than 100\.$/],
      [{ recipient: Array.from({ length: 101 }, () => ada) }, /its recipient is longer than 100\.$/],
      [{ subject: undefined as never }, /its subject is missing\.$/],
      [{ subject: "x".repeat(999) }, /its subject is longer than 998 characters\.$/],
      [{ text: undefined as never }, /its content is missing: give text or html\.$/],
      [{ text: 7 as never }, /its text is no text\.$/],
      [{ text: "x".repeat(500_001) }, /its text is longer than 500,000 characters\.$/],
      [{ html: unsafeHtml("x".repeat(500_001)) }, /its html is longer than 500,000 characters\.$/],
      [{ tags: Array.from({ length: 11 }, () => "x") }, /its list of tags is longer than 10\.$/],
      [{ tags: ["a b"] }, /its tag has other signs than letters/],
      [{ tags: [""] }, /its tag has other signs than letters/],
      [{ tags: ["x".repeat(101)] }, /its tag has other signs than letters/],
    ] as const) {
      await refused(part, "E_EMAIL_MESSAGE", about);
    }
  });

  test("may have all that is allowed, and no more", async () => {
    const text = "x".repeat(500_000);
    const tags = [...Array.from({ length: 9 }, (_, index) => `tag-${index}`), "a:b.c_D-1".padEnd(100, "x")];
    const mail = await kept({ subject: "x".repeat(998), text, html: unsafeHtml(text), tags });
    assert.deepEqual([mail.subject.length, mail.text, mail.html, mail.tags], [998, text, text, tags]);
    assert.deepEqual((await kept({ tags: ["a", "b", "a"] })).tags, ["a", "b"]);
    const many = Array.from({ length: 100 }, () => "ada@example.com");
    assert.deepEqual((await kept({ recipient: many, cc: many, bcc: ["ADA@example.com", "b@c"] })).bcc, [
      { address: "b@c" },
    ]);
  });

  test("has the header lines that are allowed", async () => {
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
    assert.deepEqual((await kept({ headers })).headers, Object.entries(headers));
    for (const [name, value, about] of [
      ["Bcc", "a", /its header "Bcc" is none that may be set\.$/],
      ["Not-X-Test", "a", /its header "Not-X-Test" is none that may be set\.$/],
      ["References-2", "a", /is none that may be set\.$/],
      ["List-", "a", /is none that may be set\.$/],
      ["List-I d", "a", /is none that may be set\.$/],
      ["X-".padEnd(77, "x"), "a", /is none that may be set\.$/],
      ["X-Test", "x".repeat(999), /its header "X-Test" is longer than 998 characters\.$/],
      ["X-Test", 7 as never, /its header "X-Test" is no text\.$/],
      ["X-Test", "=?utf-8?b??=", /its header "X-Test" has a word in it that is encoded/],
    ] as const) {
      await refused({ headers: { [name]: value } }, "E_EMAIL_MESSAGE", about);
    }
    await refused({ headers: { ["Y".repeat(100)]: "x" } }, "E_EMAIL_MESSAGE", /its header "Y{80}" is none/);
  });

  test("has a page that was made by html, and nothing that only looks like it", async () => {
    for (const page of ["<p>x</p>", { toString: () => "<p>x</p>" }, JSON.parse('{"html":"x"}') as unknown]) {
      await refused({ html: page as never }, "E_EMAIL_MESSAGE", /html was not made by html/);
    }
  });

  test("has an unsubscribe address that is encrypted", async () => {
    await refused({ unsubscribe: "http://example.com" }, "E_EMAIL_MESSAGE", /unsubscribe is no https URL/);
    await refused({ unsubscribe: "mailto:a@example.com" }, "E_EMAIL_MESSAGE", /no https URL/);
    const mail = await kept({ unsubscribe: "https://example.com/a b>,<c" });
    assert.equal(mail.headers[0]?.[1], "<https://example.com/a%20b%3E,%3Cc>");
    const longest = "https://example.com/".padEnd(900, "x");
    assert.equal((await kept({ unsubscribe: longest })).headers[0]?.[1], `<${longest}>`);
    await refused(
      { unsubscribe: `${longest}x` },
      "E_EMAIL_MESSAGE",
      /its unsubscribe is longer than 900 characters\.$/,
    );
  });

  test("has no NUL and no half characters in its text", async () => {
    assert.equal((await kept({ text: "a\0b" })).text, "a\ufffdb");
    assert.equal((await kept({ text: "a\ud800b" })).text, "a\ufffdb");
    await refused({ subject: "a\ud800b" }, "E_EMAIL_MESSAGE", /half of a character/);
  });

  test("is the same after it was JSON", async () => {
    const mail = await kept({
      html: html`<p>ü</p>`,
      replyTo: "a@example.com",
      attachments: [
        { name: "x", content: Uint8Array.of(0, 128, 255), cid: "c" },
        { name: "y", content: "" },
      ],
    });
    assert.deepEqual([mail.replyTo, mail.attachments[0]?.cid], [{ address: "a@example.com" }, "c"]);
    const { kept_at: _, ...rest } = mail;
    const read = fromJson(JSON.parse(JSON.stringify(toJson(rest))) as ReturnType<typeof toJson>);
    assert.deepEqual(read, { ...rest, attachments: read.attachments });
    assert.deepEqual([read.replyTo, read.attachments[0]?.cid], [mail.replyTo, "c"]);
    assert.deepEqual(toJson(read), toJson(rest));
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

  test("is read from below its root", async () => {
    const { attachments } = await kept({ attachments: [{ root, path: "sub/a.pdf" }] });
    assert.deepEqual(
      attachments.map(({ name, type, content }) => [name, type, Buffer.from(content).toString()]),
      [["a.pdf", "application/pdf", "%PDF"]],
    );
    const [named] = (
      await kept({ attachments: [{ root, path: "sub/a.pdf", name: "Invoice.pdf", type: "text/plain" }] })
    ).attachments;
    assert.deepEqual([named?.name, named?.type], ["Invoice.pdf", "text/plain"]);
  });

  test("may lie anywhere when the root is that of the system", async () => {
    const path = join(root, "sub", "a.pdf").slice(1);
    assert.equal((await kept({ attachments: [{ root: "/", path }] })).attachments[0]?.name, "a.pdf");
  });

  test("is never read from elsewhere", async () => {
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
      await refused({ attachments: [{ root, path, name: "x" }] }, "E_EMAIL_ATTACHMENT", /x|file|path/);
    await refused({ attachments: [{ root: "files", path: "sub/a.pdf" }] }, "E_EMAIL_ATTACHMENT", /absolute/);
  });

  test("has a plain name, a media type and a plain cid", async () => {
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
    for (const [part, about] of wrong) {
      const attachment = { name: "x", content: "", ...part } as EmailAttachment;
      await refused({ attachments: [attachment] }, "E_EMAIL_ATTACHMENT", about);
    }
  });

  test("may have any media type and cid that is one", async () => {
    for (const type of ["text/html; charset=utf-8", "text/html;a-b=c.d", `text/${"x".repeat(195)}`, "a/b+c"]) {
      const given = { name: "x".repeat(200), content: "ü\ud800", type, cid: "a.b-c@d.e" };
      const [attachment] = (await kept({ attachments: [given] })).attachments;
      assert.deepEqual([attachment?.type, attachment?.cid], [type, given.cid]);
      assert.equal(Buffer.from(attachment?.content ?? []).toString(), "ü\ufffd");
    }
  });

  test("is one of 50 at most", async () => {
    const many = Array.from({ length: 50 }, () => ({ name: "x", content: "" }));
    assert.equal((await kept({ attachments: many })).attachments.length, 50);
    const more = [...many, { name: "x", content: "" }];
    await refused({ attachments: more }, "E_EMAIL_ATTACHMENT", /its attachment "list" has more than 50 files\.$/);
  });

  test("fills what all may have together to the last byte", async () => {
    const mebibyte = 1024 * 1024;
    const most = { name: "x", content: new Uint8Array(6 * mebibyte) };
    assert.equal((await kept({ attachments: [most, { name: "y", content: "" }] })).attachments.length, 2);
    const one = { name: "y", content: "1" };
    await refused({ attachments: [most, one] }, "E_EMAIL_ATTACHMENT", /"y" is too much: all of them may have 6 MiB/);
    const file = { root, path: "sub/a.pdf" };
    const fits = { name: "x", content: new Uint8Array(6 * mebibyte - 4) };
    assert.equal((await kept({ attachments: [fits, file] })).attachments.length, 2);
    await refused(
      { attachments: [fits, one, file] },
      "E_EMAIL_ATTACHMENT",
      /its attachment "sub\/a.pdf" is too large\.$/,
    );
  });

  test("is not too large, nor are all of them", async () => {
    const half = { name: "x", content: new Uint8Array(4 * 1024 * 1024) };
    assert.equal((await kept({ attachments: [half] })).attachments.length, 1);
    await refused({ attachments: [half, half] }, "E_EMAIL_ATTACHMENT", /6 MiB together/);
  });
});

describe("the text of a page", () => {
  for (const [page, text] of [
    ["<p>One</p><p>Two<br>Three</p>", "One\n\nTwo\nThree"],
    ["<h1>Head</h1>\n <ul><li>a</li>\n<li>b</li></ul>", "Head\n\n- a\n- b"],
    ["<a href='https://x.example'>https://x.example</a>", "https://x.example"],
    ['<a href="mailto:a@x.example">a@x.example</a>', "a@x.example"],
    ['<a href="https://x.example/?a=1&amp;b"><b>Go</b></a>', "Go (https://x.example/?a=1&b)"],
    ["<style>p{}</style><script>x</script><!-- no --><p>&lt;b&gt; &#8364;&#x20ac; &amp;lt;</p>", "<b> €€ &lt;"],
    ['<img alt="Logo" src="x"> x', "Logo x"],
    ['<img hidden alt="Counter" src="x"><p>One</p><input hidden>Two', "One\n\nTwo"],
    ["<div hidden>Not this</div><p>This</p>", "This"],
    ["&nope; &#0; &#xd800;", "&nope; \ufffd"],
    ["plain", "plain"],
    ["", ""],
  ] as const) {
    test(JSON.stringify(page), () => assert.equal(plainText(page), text));
  }

  test("is made in no time, whatever the page is", () => {
    const pieces = ["<", "<a href='", "<head>", "<!--", "&#", "<div hidden", "\n ", "<td "];
    for (const page of [...pieces.map((piece) => piece.repeat(20_000)), `<${"a".repeat(100_000)}`]) {
      const began = process.cpuUsage();
      plainText(page);
      assert.ok(process.cpuUsage(began).user < 2_000_000, page.slice(0, 20));
    }
  });
});

test("a layout is a whole page with what was given, and its text leaves out what is only for the eye", () => {
  const link = "https://example.com/confirm?a=1&b=2";
  const page = layout(
    { title: "Wel<come", preview: "Behind the subject", header: "To-dos", footer: html`<p>Bye</p>`, language: "de" },
    html`<h1>Hello</h1>
      ${button("Confirm", link)}`,
  );
  assert.match(String(page), /^<!doctype html>\s*<html lang="de">/);
  assert.match(String(page), /<title>Wel&lt;come<\/title>/);
  assert.equal(plainText(String(page)), `To-dos\n\nHello\n\nConfirm (${link})\n\nBye`);
  assert.doesNotMatch(String(button("x", "javascript:alert(1)")), /javascript/);
  assert.match(plainText(String(layout({ title: "x" }, unsafeHtml("y")))), /^y$/);
});
