import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import type { SMTPServerOptions } from "smtp-server";
import { Configuration } from "../../../../config/index.ts";
import { isError } from "../../../../core/index.ts";
import { TimeInternals } from "../../../../time/index.ts";
import type { EmailService } from "../../contract.ts";
import {
  isolate,
  mailServer,
  message,
  parse,
  type Script,
  scriptedServer,
  type ScriptedServer,
} from "../../mail-server.test.ts";
import { smtp, type SmtpOptions } from "./index.ts";

const log = isolate({ EMAIL_SEND_OUTSIDE_PRODUCTION: "true", SMTP_HOST: "127.0.0.1" });

/** Runs a test with a service connected to a port. */
async function connected(
  port: number,
  work: (email: EmailService) => Promise<void>,
  options?: SmtpOptions,
): Promise<void> {
  Configuration.store([["SMTP_PORT", String(port)]]);
  const email = smtp(options);
  await email.start({ services: [email] });
  try {
    await work(email);
  } finally {
    await email.stop();
  }
}

/** Runs a test with a scripted server and a service that sends to it. */
async function scripted(
  script: Script,
  work: (email: EmailService, server: ScriptedServer) => Promise<void>,
  options?: SmtpOptions,
): Promise<void> {
  await using server = await scriptedServer(script);
  await connected(server.port, (email) => work(email, server), options);
}

const fails = (code: string, about: RegExp) => (error: unknown) => isError(error, code) && about.test(error.message);
const on =
  (word: string, answer: string): Script =>
  (command) =>
    command.startsWith(word) ? answer : undefined;
const greeting =
  (answer: string): Script =>
  (command) =>
    command === "" ? answer : undefined;

describe("a mail is refused if the server permanently refuses", () => {
  for (const [place, script] of [
    ["its sender", on("MAIL", "550 5.7.1 not you")],
    ["its recipient", on("RCPT", "550 5.1.1 no such user")],
    ["its content", on(".", "554 5.6.0 looks like spam")],
  ] as const) {
    test(place, () =>
      scripted(script, (email) =>
        assert.rejects(
          email.send(message()),
          fails(
            "E_EMAIL_REFUSED",
            /127\.0\.0\.1:\d+ \(SMTP_HOST in Configuration\.store\) refused the mail: .*55\d 5\.\d\.\d/,
          ),
        ),
      ),
    );
  }
});

describe("a mail is E_EMAIL_UNAVAILABLE if", () => {
  for (const [what, script] of [
    ["the server is busy", greeting("421 too many connections")],
    ["the mailbox of the recipient is full", on("RCPT", "452 4.2.2 full")],
    ["the server asks for a later retry", on(".", "451 4.7.1 later")],
    ["the server reports a bad sequence of commands", on("MAIL", "503 bad sequence")],
    ["the server disconnects at the start", greeting("drop")],
    ["the server disconnects during the envelope", on("RCPT", "drop")],
    ["the server disconnects after the content", on(".", "drop")],
    ["the server speaks another protocol", greeting("HTTP/1.1 400 Bad Request")],
  ] as const) {
    test(what, () =>
      scripted(script, async (email, server) => {
        await assert.rejects(
          email.send(message()),
          fails("E_EMAIL_UNAVAILABLE", /127\.0\.0\.1:\d+ \(SMTP_HOST in Configuration\.store\): .*A retry may succeed/),
        );
        assert.equal(server.connections(), 1, "the transport does not retry");
      }),
    );
  }

  test("there is no server", async () => {
    const server = await scriptedServer();
    await server[Symbol.asyncDispose]();
    await connected(server.port, (email) =>
      assert.rejects(email.send(message()), fails("E_EMAIL_UNAVAILABLE", /ECONNREFUSED/)),
    );
  });

  for (const [behaviour, reply] of [
    ["sends nothing", "silence"],
    ["sends a byte now and then", "trickle"],
  ] as const) {
    test(`the server ${behaviour}, after the timeout`, () =>
      scripted(
        on("RCPT", reply),
        async (email) => {
          // Without waiting for the end of the reply, which never comes.
          await assert.rejects(email.send(message()), fails("E_EMAIL_UNAVAILABLE", /longer than 300ms|timeout/i));
          // The next mail is not blocked.
          await assert.rejects(email.send(message()), fails("E_EMAIL_UNAVAILABLE", /longer than 300ms|timeout/i));
        },
        { timeoutMs: 300 },
      ));
  }
});

for (const place of ["", "EHLO", "RCPT", "."]) {
  test(`a server that sends blank lines without end is disconnected after "${place}"`, () =>
    scripted(
      (command) => (command.startsWith(place) && (place !== "" || command === "") ? "blank" : undefined),
      (email) =>
        assert.rejects(email.send(message()), fails("E_EMAIL_UNAVAILABLE", /the server sends more than replies/)),
    ));
}

test("the error names the refused recipients, and the others get the mail", () =>
  scripted(
    (command) => (command === "RCPT TO:<eve@example.com>" ? "550 no" : undefined),
    async (email, server) => {
      const sent = email.send(message({ recipient: ["ada@example.com", "eve@example.com"] }));
      await assert.rejects(sent, fails("E_EMAIL_REFUSED", /does not accept mails to eve@example\.com/));
      assert.ok(server.lines.includes("."));
    },
  ));

test("sendAll returns the failures and sends the others", () =>
  scripted(
    (command) =>
      command === "RCPT TO:<user3@example.com>"
        ? "550 no"
        : command === "RCPT TO:<user7@example.com>"
          ? "450 later"
          : undefined,
    async (email, server) => {
      const messages = Array.from({ length: 12 }, (_, index) => message({ recipient: `user${index}@example.com` }));
      const unsent = await email.sendAll(messages);
      assert.deepEqual(
        unsent.map(({ index, error }) => [index, error.code]),
        [
          [3, "E_EMAIL_REFUSED"],
          [7, "E_EMAIL_UNAVAILABLE"],
        ],
      );
      assert.equal(server.lines.filter((line) => line === ".").length, 10);
      assert.ok(server.connections() <= 7, "connections are reused");
    },
  ));

test("a reply of several lines becomes one line without control characters", () =>
  scripted(on("MAIL", "550-no\r\n550 \u001b[31mnever\u0007"), (email) =>
    assert.rejects(
      email.send(message()),
      (error) => isError(error, "E_EMAIL_REFUSED") && !/\p{Cc}/u.test(error.message),
    ),
  ));

test("a mail has a date and a message id, unchanged across deliveries", (t) => {
  t.after(TimeInternals.useClock(TimeInternals.fakeClock(new Date("2030-01-02T03:04:05Z"))));
  return scripted(
    () => undefined,
    async (email, server) => {
      const mail = {
        id: "6b2b9f0e-6c53-4f4f-9d3c-2b4a2e8b1a11",
        sender: undefined,
        recipients: [{ address: "ada@example.com" }],
        cc: [],
        bcc: [],
        replyTo: undefined,
        subject: "x",
        text: "x",
        html: undefined,
        attachments: [],
        headers: [],
        tags: ["welcome", "first"],
      };
      Configuration.store([["SMTP_SENDER", "To-dos <todo@example.com>"]]);
      await email.deliver(mail);
      await email.deliver(mail);
      const ids = server.lines.filter((line) => line.startsWith("Message-ID:"));
      assert.deepEqual(
        ids,
        Array.from({ length: 2 }, () => `Message-ID: <${mail.id}@example.com>`),
      );
      assert.ok(server.lines.includes("Date: Wed, 02 Jan 2030 03:04:05 +0000"));
      assert.ok(server.lines.includes('From: "To-dos" <todo@example.com>'));
      assert.ok(server.lines.includes("X-Tags: welcome, first"));
      assert.ok(server.lines.includes("MAIL FROM:<todo@example.com>"));
    },
  );
});

test("a mail without a sender fails and names the configuration key", () =>
  scripted(
    () => undefined,
    async (email, server) => {
      const { sender: _, ...rest } = message();
      await assert.rejects(email.send(rest), fails("E_EMAIL_SENDER_MISSING", /SMTP_SENDER/));
      assert.equal(server.connections(), 0);
    },
  ));

describe("the connection to the server", () => {
  const login = { user: "app", pass: "s3cr3t" };
  const accounts: SMTPServerOptions = {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === login.user && password === login.pass ? done(null, { user: login.user }) : done(new Error("no")),
  };

  test("logs in with user and password", async () => {
    await using server = await mailServer(accounts);
    Configuration.store([
      ["SMTP_USERNAME", login.user],
      ["SMTP_PASSWORD", login.pass],
    ]);
    await connected(server.port, async (email) => {
      await email.send(message());
      assert.equal((await parse(server.mails[0]?.raw ?? "")).subject, "Hello");
      assert.deepEqual(await email.check?.({ environment: "production" }), [
        { level: "ok", message: `Mails are sent to 127.0.0.1:${server.port} (SMTP_HOST in Configuration.store)` },
      ]);
    });
  });

  test("fails with E_EMAIL_UNAVAILABLE after a wrong password", async () => {
    await using server = await mailServer(accounts);
    Configuration.store([
      ["SMTP_USERNAME", login.user],
      ["SMTP_PASSWORD", "old"],
    ]);
    await connected(server.port, async (email) => {
      const refused = (error: unknown): boolean =>
        isError(error, "E_EMAIL_UNAVAILABLE") && !error.message.includes("old");
      await assert.rejects(email.send(message()), refused);
      await assert.rejects(async () => email.check?.({ environment: "production" }), refused);
    });
    assert.ok(!JSON.stringify(log.entries).includes("s3cr3t"));
  });

  test("is encrypted, or nothing is sent", async () => {
    Configuration.store([
      ["SMTP_SECURITY", "starttls"],
      ["SMTP_USERNAME", login.user],
      ["SMTP_PASSWORD", login.pass],
    ]);
    await scripted(on("STARTTLS", "502 not here"), async (email, server) => {
      await assert.rejects(email.send(message()), fails("E_EMAIL_UNAVAILABLE", /STARTTLS/));
      assert.deepEqual(
        server.lines.filter((line) => /^(?:AUTH|MAIL)/.test(line)),
        [],
      );
    });
  });

  test("requires user and password together", async () => {
    Configuration.store([["SMTP_USERNAME", "app"]]);
    const email = smtp();
    await assert.rejects(
      async () => email.start({ services: [email] }),
      fails("E_EMAIL_SETTINGS", /SMTP_USERNAME and SMTP_PASSWORD/),
    );
  });

  test("requires a readable file of certificate authorities", async () => {
    Configuration.store([["SMTP_CA_FILE", "/nowhere/ca.pem"]]);
    const email = smtp();
    await assert.rejects(async () => email.start({ services: [email] }), fails("E_EMAIL_SETTINGS", /nowhere/));
  });
});

test("several accounts have separate configuration keys", async () => {
  await using first = await mailServer();
  await using second = await mailServer();
  Configuration.store([
    ["SMTP_PORT", String(first.port)],
    ["NEWS_SMTP_HOST", "127.0.0.1"],
    ["NEWS_SMTP_PORT", String(second.port)],
  ]);
  const services = [smtp(), smtp({ name: "news", prefix: "NEWS_SMTP" })];
  for (const service of services) await service.start({ services });
  await services[1]?.send(message());
  assert.deepEqual([first.mails.length, second.mails.length], [0, 1]);
  assert.deepEqual(
    services[1]?.commands.map(({ name }) => name),
    ["news.send-test"],
  );
  for (const service of services) await service.stop();
});

test('without the package "nodemailer" the start fails and names the install command', async () => {
  const code = `
    import { registerHooks } from "node:module";
    registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier !== "nodemailer") return next(specifier, context);
        throw Object.assign(new Error("Cannot find package 'nodemailer'"), { code: "ERR_MODULE_NOT_FOUND" });
      },
    });
    const { smtp } = await import("limmat/email/smtp");
    const email = smtp();
    await email.start({ services: [email] }).catch((error) => console.log(error.code, error.message));`;
  const env = {
    ...process.env,
    FRAMEWORK_ENV: "production",
    SMTP_HOST: "mail.example.com",
    SMTP_SENDER: "a@example.com",
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@limmat/source", "--input-type=module", "-e", code],
    { env },
  );
  assert.match(stdout, /^E_EMAIL_LIBRARY_MISSING The package "nodemailer" is not installed.*npm install nodemailer@10/);
});
