// Contract of e-mail services, tested by the mails that arrive: in memory, at a mail server, at a provider.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import { Cleaner } from "../../../cleaner/index.ts";
import { Configuration } from "../../../config/index.ts";
import { isError } from "../../../core/index.ts";
import { html } from "../../../html/index.ts";
import type { EmailService, CapturedMail } from "../contract.ts";
import { isolate, mailServer, message, parse, shown } from "../mail-server.test.ts";
import { memory } from "./memory/memory.ts";
import { sendgrid } from "./sendgrid/index.ts";
import { smtp } from "./smtp/index.ts";

const log = isolate({ EMAIL_SEND_OUTSIDE_PRODUCTION: "true" });

type Named = readonly [name: string, address: string | undefined];

/** A received mail, independent of the backend. */
interface ReceivedMail {
  readonly from: Named | undefined;
  readonly to: readonly Named[];
  readonly cc: readonly Named[];
  readonly replyTo: Named | undefined;
  /** All recipients, blind copies included. */
  readonly allRecipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string | undefined;
  readonly attachments: readonly (readonly [name: string, type: string, base64: string, cid: string | undefined])[];
  readonly header: (name: string) => string | undefined;
}

interface Subject extends AsyncDisposable {
  readonly email: EmailService;
  /** Returns the received mails in order of arrival. */
  readonly received: () => Promise<readonly ReceivedMail[]>;
}

const start = (email: EmailService): Promise<void> | void => email.start({ services: [email] });

const subjects: Readonly<Record<string, () => Promise<Subject>>> = {
  memory: () => {
    const email = memory();
    return Promise.resolve({
      email,
      received: () => Promise.resolve(email.inbox.all().toReversed().map(fromCaptured)),
      [Symbol.asyncDispose]: async () => {},
    });
  },
  smtp: async () => {
    const server = await mailServer();
    Configuration.store([
      ["SMTP_HOST", "127.0.0.1"],
      ["SMTP_PORT", String(server.port)],
    ]);
    const email = smtp();
    await start(email);
    return {
      email,
      received: () => Promise.all(server.mails.map(async ({ raw, to }) => fromParsed(await parse(raw), to))),
      [Symbol.asyncDispose]: async () => {
        await email.stop();
        await server[Symbol.asyncDispose]();
      },
    };
  },
  sendgrid: async () => {
    const bodies: Body[] = [];
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        bodies.push(JSON.parse(Buffer.concat(parts).toString()) as Body);
        response.writeHead(202, { "x-message-id": "m1" }).end();
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    Configuration.store([
      ["SENDGRID_API_KEY", "SG.key"],
      ["SENDGRID_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`],
    ]);
    const email = sendgrid();
    await start(email);
    return {
      email,
      received: () => Promise.resolve(bodies.map(fromBody)),
      [Symbol.asyncDispose]: async () => {
        await email.stop();
        server.closeAllConnections();
        await new Promise((resolve) => void server.close(resolve));
      },
    };
  },
};

const pair = ({ name = "", address }: { readonly name?: string; readonly address: string }): Named => [name, address];

const fromCaptured = (mail: CapturedMail): ReceivedMail => ({
  from: mail.sender && pair(mail.sender),
  to: mail.recipients.map(pair),
  cc: mail.cc.map(pair),
  replyTo: mail.replyTo && pair(mail.replyTo),
  allRecipients: [...mail.recipients, ...mail.cc, ...mail.bcc].map(({ address }) => address),
  subject: mail.subject,
  text: mail.text,
  html: mail.html,
  attachments: mail.attachments.map(({ name, type, content, cid }) => [
    name,
    type.split(";", 1)[0] ?? "",
    Buffer.from(content).toString("base64"),
    cid,
  ]),
  header: (name) => mail.headers.find(([key]) => key.toLowerCase() === name)?.[1],
});

const fromParsed = (mail: Awaited<ReturnType<typeof parse>>, to: readonly string[]): ReceivedMail => ({
  from: shown(mail.from),
  to: (mail.to ?? []).map((address) => shown(address) ?? ["", ""]),
  cc: (mail.cc ?? []).map((address) => shown(address) ?? ["", ""]),
  replyTo: shown(mail.replyTo?.[0]),
  // The test server decodes domains.
  allRecipients: to.map((address) => address.replace("bücher", "xn--bcher-kva")),
  subject: mail.subject ?? "",
  text: (mail.text ?? "").replace(/\n$/, ""),
  html: mail.html?.replace(/\n$/, ""),
  // Inline attachments come first.
  attachments: mail.attachments
    .toSorted((a, b) => ((a.filename ?? "") < (b.filename ?? "") ? -1 : 1))
    .map(({ filename, mimeType, content, contentId }) => [
      filename ?? "",
      mimeType,
      Buffer.from(content as ArrayBuffer).toString("base64"),
      contentId?.replaceAll(/[<>]/g, ""),
    ]),
  header: (name) => mail.headers.find(({ key }) => key === name)?.value,
});

interface Person {
  readonly email: string;
  readonly name?: string;
}

interface Body {
  readonly personalizations: readonly {
    readonly to: readonly Person[];
    readonly cc?: readonly Person[];
    readonly bcc?: readonly Person[];
  }[];
  readonly from: Person;
  readonly reply_to?: Person;
  readonly subject: string;
  readonly content: readonly { readonly type: string; readonly value: string }[];
  readonly attachments?: readonly {
    readonly filename: string;
    readonly type: string;
    readonly content: string;
    readonly content_id?: string;
  }[];
  readonly headers?: Readonly<Record<string, string>>;
}

const person = ({ email, name = "" }: Person): Named => [name, email];

const fromBody = (body: Body): ReceivedMail => {
  const { to = [], cc = [], bcc = [] } = body.personalizations[0] ?? {};
  return {
    from: person(body.from),
    to: to.map(person),
    cc: cc.map(person),
    replyTo: body.reply_to && person(body.reply_to),
    allRecipients: [...to, ...cc, ...bcc].map(({ email }) => email),
    subject: body.subject,
    text: body.content.find(({ type }) => type === "text/plain")?.value ?? "",
    html: body.content.find(({ type }) => type === "text/html")?.value,
    attachments: (body.attachments ?? []).map(({ filename, type, content, content_id: cid }) => [
      filename,
      type,
      content,
      cid,
    ]),
    header: (name) => Object.entries(body.headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1],
  };
};

for (const [name, open] of Object.entries(subjects)) {
  describe(`${name}:`, () => {
    test("a mail arrives with all its fields", async () => {
      await using subject = await open();
      await subject.email.send({
        sender: { name: "To-dos, “daily” <x>", address: "todo@example.com" },
        recipient: [{ name: "Ada Lovelace", address: "ada@example.com" }, "bob@Bücher.example"],
        cc: "carol@example.com",
        bcc: ["dave@example.com", "erin@example.com"],
        replyTo: { name: "Zoë", address: "zoe@example.com" },
        subject: "Grüße, 你好 🎉 =?x?=",
        text: "Ein Gruß\n.\n..\n.leading dot\nFrom here\n",
        html: html`<p>Ein <b>Gruß</b>, ${"<you>"}</p>`,
        attachments: [
          { name: "größe.csv", content: "a,ä\n" },
          { name: "logo.png", content: Uint8Array.of(0, 255, 13, 10, 46), cid: "logo", type: "image/png" },
        ],
        headers: { "X-Campaign": "spring", "Auto-Submitted": "auto-generated" },
        unsubscribe: "https://example.com/unsubscribe?user=1",
        tags: ["welcome"],
      });
      const [mail, ...others] = await subject.received();
      assert.ok(mail !== undefined && others.length === 0);
      assert.deepEqual(mail.from, ["To-dos, “daily” <x>", "todo@example.com"]);
      assert.deepEqual(mail.to, [
        ["Ada Lovelace", "ada@example.com"],
        ["", "bob@xn--bcher-kva.example"],
      ]);
      assert.deepEqual(mail.cc, [["", "carol@example.com"]]);
      assert.deepEqual(mail.replyTo, ["Zoë", "zoe@example.com"]);
      assert.deepEqual(mail.allRecipients, [
        "ada@example.com",
        "bob@xn--bcher-kva.example",
        "carol@example.com",
        "dave@example.com",
        "erin@example.com",
      ]);
      assert.equal(mail.subject, "Grüße, 你好 🎉 =?x?=");
      assert.equal(mail.text.trimEnd(), "Ein Gruß\n.\n..\n.leading dot\nFrom here");
      assert.equal(mail.html, "<p>Ein <b>Gruß</b>, &lt;you&gt;</p>");
      assert.deepEqual(mail.attachments, [
        ["größe.csv", "text/csv", Buffer.from("a,ä\n").toString("base64"), undefined],
        ["logo.png", "image/png", "AP8NCi4=", "logo"],
      ]);
      assert.equal(mail.header("x-campaign"), "spring");
      assert.equal(mail.header("auto-submitted"), "auto-generated");
      assert.equal(mail.header("list-unsubscribe"), "<https://example.com/unsubscribe?user=1>");
      assert.equal(mail.header("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
      assert.equal(mail.header("bcc"), undefined);
    });

    test("a mail with only HTML arrives with text as well", async () => {
      await using subject = await open();
      const page = html`<h1>Welcome</h1>
        <p>Please <a href="https://example.com/a?b=1&c=2">confirm</a>.</p>`;
      await subject.email.send({ sender: "a@example.com", recipient: "b@example.com", subject: "x", html: page });
      const [mail] = await subject.received();
      assert.equal(mail?.text.trimEnd(), "Welcome\n\nPlease confirm (https://example.com/a?b=1&c=2).");
      assert.equal(mail.html?.replaceAll("\r\n", "\n"), String(page));
    });

    test("a mail with only text has no HTML", async () => {
      await using subject = await open();
      await subject.email.send(message());
      const [mail] = await subject.received();
      assert.equal(mail?.html, undefined);
      assert.equal(mail?.text.trimEnd(), "A text");
    });

    test("an address in several fields gets one mail", async () => {
      await using subject = await open();
      const cc = ["Ada@example.com", "bob@example.com"];
      await subject.email.send(message({ recipient: ["ada@example.com"], cc, bcc: ["bob@EXAMPLE.com"] }));
      const [mail] = await subject.received();
      assert.deepEqual(mail?.allRecipients, ["ada@example.com", "bob@example.com"]);
    });

    test("sendAll sends one mail for each message", async () => {
      await using subject = await open();
      const recipients = Array.from({ length: 20 }, (_, index) => `user${index}@example.com`);
      const failures = await subject.email.sendAll(recipients.map((recipient) => message({ recipient })));
      assert.deepEqual(failures, []);
      const found = (await subject.received()).map(({ allRecipients }) => allRecipients.join());
      assert.deepEqual(found.toSorted(), recipients.toSorted());
    });

    test("sendAll sends nothing if a message is invalid", async () => {
      await using subject = await open();
      const messages = [message(), message({ recipient: "nobody" })];
      await assert.rejects(subject.email.sendAll(messages), (error) => isError(error, "E_EMAIL_ADDRESS"));
      assert.deepEqual(await subject.received(), []);
    });

    test("an invalid message is refused before anything is sent", async () => {
      await using subject = await open();
      for (const [wrong, code] of [
        [{ recipient: "ada@example.com, bob@example.com" }, "E_EMAIL_ADDRESS"],
        [{ subject: "Hello\r\nBcc: eve@example.com" }, "E_EMAIL_MESSAGE"],
        [{ attachments: [{ name: "../x", content: "" }] }, "E_EMAIL_ATTACHMENT"],
      ] as const) {
        await assert.rejects(subject.email.send(message(wrong)), (error) => isError(error, code), code);
      }
      assert.deepEqual(await subject.received(), []);
    });
  });
}

test("cleaners clear the memory service while it is started", async () => {
  const email = memory();
  await start(email);
  await email.send(message());
  await Cleaner.cleanAll();
  assert.deepEqual(email.inbox.all(), []);
  await email.stop();
  await email.send(message());
  await Cleaner.cleanAll();
  assert.equal(email.inbox.all().length, 1);
  assert.deepEqual(log.entries, []);
});
