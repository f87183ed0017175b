// User input in a mail must never become an SMTP command, a recipient or a header.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Configuration } from "../../../config/index.ts";
import { isError } from "../../../core/index.ts";
import type { EmailMessage, EmailService } from "../contract.ts";
import { isolate, message, parse, scriptedServer, type ScriptedServer } from "../mail-server.test.ts";
import { smtp } from "./smtp/index.ts";

isolate({ EMAIL_SEND_OUTSIDE_PRODUCTION: "true" });

const breaks = ["\r\n", "\n", "\r", "\0", "\u2028", "\u2029", "\u0085", "\v", "\f", "\t"];
const injected = [
  "Bcc: eve@evil.example",
  "RCPT TO:<eve@evil.example>",
  "\r\n<script>",
  ".\r\nMAIL FROM:<eve@evil.example>",
  "",
];
const lists = [
  "ada@example.com, eve@evil.example",
  "ada@example.com;eve@evil.example",
  "ada@example.com eve@evil.example",
  "<ada@example.com>,<eve@evil.example>",
  "ada@example.com> RCPT TO:<eve@evil.example",
  "ada@example.com> SIZE=1",
  "group: ada@example.com, eve@evil.example;",
  `${"a:".repeat(10_000)}ada@example.com${";".repeat(10_000)}`,
  '"ada@example.com eve@evil.example"@example.com',
  '"ada,eve@evil.example"@example.com',
  "ada(eve@evil.example)@example.com",
  "ada@example.com(comment)",
  "@evil.example:ada@example.com",
  "eve%evil.example@[127.0.0.1]",
  "ada@example.com@evil.example",
  "ada@evil.example\u3002example.com,x",
  "ада@example.com",
  "ada@exa mple.com",
  "ada@-example.com",
  "ada@example..com",
  "ada@127.0.0.1",
  "ada@0x7f.1",
  "ada@example.com:25",
  "ada@example.com/x",
  "ada@%65xample.com",
  "=?utf-8?Q?ada=0D=0ABcc:eve?=@example.com\r",
  `${"a".repeat(65)}@example.com`,
  `ada@${"a.".repeat(130)}com`,
  `ada@${"a".repeat(64)}.com`,
  "ada..lovelace@example.com",
  ".ada@example.com",
  "ada.@example.com",
  "ada",
  "@example.com",
  "ada@",
  "",
];

/** Payloads for fields that accept any text without control characters. */
const encoded = ["=?utf-8?B?DQpCY2M6IGV2ZUBldmlsLmV4YW1wbGU=?=", "a =?us-ascii?q?=0D=0A?= b"];
const controls = breaks.flatMap((br) => injected.flatMap((line) => [`x${br}${line}`, `${br}${line}`]));
/** Payloads for address fields. */
const addresses = [...lists, ...controls.map((control) => `ada@example.com${control}`)];

async function withServer(work: (email: EmailService, server: ScriptedServer) => Promise<void>): Promise<void> {
  await using server = await scriptedServer();
  Configuration.store([
    ["SMTP_HOST", "127.0.0.1"],
    ["SMTP_PORT", String(server.port)],
  ]);
  const email = smtp();
  await email.start({ services: [email] });
  try {
    await work(email, server);
  } finally {
    await email.stop();
  }
}

const isTyped = (error: unknown): boolean =>
  ["E_EMAIL_ADDRESS", "E_EMAIL_MESSAGE", "E_EMAIL_ATTACHMENT"].some((code) => isError(error, code));

const named = (name: string): { name: string; address: string } => ({ name, address: "ada@example.com" });

test(`${addresses.length} invalid addresses are refused in every field, before any connection`, () =>
  withServer(async (email, server) => {
    for (const address of addresses) {
      const wrong: readonly Partial<EmailMessage>[] = [
        { sender: address },
        { sender: { address } },
        { recipient: address },
        { recipient: ["ada@example.com", address] },
        { recipient: { name: "Ada", address } },
        { cc: address },
        { bcc: [address] },
        { replyTo: address },
      ];
      for (const part of wrong) {
        await assert.rejects(
          email.send(message(part)),
          (error) => isError(error, "E_EMAIL_ADDRESS"),
          JSON.stringify(part).slice(0, 200),
        );
      }
    }
    assert.equal(server.connections(), 0);
  }));

test(`${controls.length} texts with control characters are refused in every header, before any connection`, () =>
  withServer(async (email, server) => {
    for (const text of controls) {
      const wrong: readonly Partial<EmailMessage>[] = [
        { sender: named(text) },
        { recipient: named(text) },
        { cc: named(text) },
        { bcc: named(text) },
        { replyTo: named(text) },
        { subject: text },
        { headers: { "X-Test": text } },
        { headers: { [`X-Test${text}`]: "x" } },
        { tags: [text] },
        { unsubscribe: text },
        { attachments: [{ name: text, content: "" }] },
        { attachments: [{ name: "x", content: "", type: text }] },
        { attachments: [{ name: "x", content: "", cid: text }] },
      ];
      for (const part of wrong) await assert.rejects(email.send(message(part)), isTyped, JSON.stringify(part));
    }
    for (const text of encoded) {
      const wrong: readonly Partial<EmailMessage>[] = [
        { sender: named(text) },
        { recipient: named(text) },
        { headers: { "X-Test": text } },
        { attachments: [{ name: text, content: "" }] },
      ];
      for (const part of wrong) await assert.rejects(email.send(message(part)), isTyped, JSON.stringify(part));
    }
    assert.equal(server.connections(), 0);
  }));

test("headers that could misdirect a mail are refused", () =>
  withServer(async (email, server) => {
    const names = [
      "Bcc",
      "To",
      "From",
      "Sender",
      "Subject",
      "Content-Type",
      "Received",
      "DKIM-Signature",
      "X Y",
      "X:",
      "X-",
      "",
    ];
    for (const name of [...names, ...names.map((each) => each.toLowerCase())]) {
      await assert.rejects(email.send(message({ headers: { [name]: "x" } })), isTyped, name);
    }
    assert.equal(server.connections(), 0);
  }));

/** Returns the commands of a transcript and the header lines of each mail. */
function read(lines: readonly string[]): {
  readonly commands: readonly string[];
  readonly heads: readonly (readonly string[])[];
} {
  const commands: string[] = [];
  const heads: string[][] = [];
  let part: "commands" | "head" | "body" = "commands";
  for (const line of lines) {
    if (part === "commands") {
      commands.push(line);
      if (line === "DATA") {
        part = "head";
        heads.push([]);
      }
    } else if (line === ".") part = "commands";
    else if (part === "head" && line === "") part = "body";
    else if (part === "head") heads.at(-1)?.push(line);
  }
  return { commands, heads };
}

const known =
  /^(?:From|To|Subject|Message-ID|Date|MIME-Version|Content-Type|Content-Transfer-Encoding|Content-Disposition|X-Test):(?: |$)|^\s/;

test("any name, subject and text arrive unchanged and add no command or header", () =>
  withServer(async (email, server) => {
    const line = fc.string({ unit: "grapheme", maxLength: 150 }).filter((text) => !/[\p{Cc}\u2028\u2029]/u.test(text));
    const body = fc.string({ unit: "grapheme", maxLength: 300 }).filter((text) => !text.includes("\0"));
    const hostile = fc.constantFrom(
      "Bcc: eve@evil.example",
      '"><eve@evil.example>',
      "a, eve@evil.example",
      "=?utf-8?B?DQpCY2M6",
      "ü=?".repeat(40),
      "=0D=0ABcc: eve@evil.example",
      "\\r\\nBcc: eve@evil.example",
      "x".repeat(150),
      "ü".repeat(150),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(line, hostile),
        fc.oneof(line, hostile, fc.constantFrom(...encoded)),
        body,
        async (name, subject, text) => {
          const from = server.lines.length;
          await email.send(message({ recipient: named(name), subject, text, headers: { "X-Test": name } }));
          const sent = server.lines.slice(from);
          const { commands, heads } = read(sent);
          assert.deepEqual(
            commands.filter((command) => /^(?:MAIL|RCPT)/i.test(command)),
            ["MAIL FROM:<todo@example.com>", "RCPT TO:<ada@example.com>"],
          );
          assert.equal(heads.length, 1);
          assert.deepEqual(
            heads[0]?.filter((head) => !known.test(head)),
            [],
          );
          const data = sent.slice(sent.indexOf("DATA") + 1, sent.lastIndexOf("."));
          const raw = data.map((each) => (each.startsWith("..") ? each.slice(1) : each)).join("\r\n");
          const mail = await parse(raw);
          assert.deepEqual(
            mail.to?.map(({ address }) => address),
            ["ada@example.com"],
          );
          assert.equal(mail.bcc, undefined);
          assert.equal((mail.subject ?? "").trim(), subject.trim());
        },
      ),
      { numRuns: 150 },
    );
  }));

test("a line with a single dot does not end the mail", () =>
  withServer(async (email, server) => {
    const text = ".\n..\r\n.\r\n\n.\nRCPT TO:<eve@evil.example>\n.\nQUIT";
    await email.send(message({ text }));
    await email.send(message());
    const { commands, heads } = read(server.lines);
    assert.equal(heads.length, 2);
    assert.equal(commands.filter((command) => command.startsWith("RCPT")).length, 2);
    assert.ok(!commands.join("\n").includes("evil"));
  }));
