import { LogInternals } from "../../log/index.ts";
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { App, Configuration, Email, Log, Queue, Web } from "limmat";
import { ConfigurationInternals } from "../../config/index.ts";
import { smtp } from "limmat/email/smtp";
import { runCommand } from "limmat/testing";
import { mailServer, parse } from "./mail-server.test.ts";

afterEach(() => {
  ConfigurationInternals.reset();
  LogInternals.reset();
});

const application = (): App.Application => {
  Log.configure({ level: "error", reporters: [] });
  return App.create({ services: [Email.queued({ queue: Queue.memory(), email: smtp() })] });
};

test("email.send-test reports a captured mail and how to send mails", async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  const { code, stdout } = await runCommand(application(), "email.send-test", "ada@example.com");
  assert.equal(code, 0);
  assert.match(stdout, /captured, not sent.*EMAIL_SEND_OUTSIDE_PRODUCTION=true/);
});

test("email.send-test reports a captured mail with a full inbox", async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  Log.configure({ level: "error", reporters: [] });
  const email = smtp();
  const app = App.create({ services: [email] });
  await app.start({ server: false });
  for (let count = 0; count < 500; count++) {
    await email.send({ recipient: "bob@example.com", subject: "Hello", text: "x" });
  }
  const { stdout } = await runCommand(app, "email.send-test", "ada@example.com");
  await app.stop();
  assert.match(stdout, /captured, not sent/);
});

test("email.send-test bypasses the queue", async () => {
  await using server = await mailServer();
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["EMAIL_SEND_OUTSIDE_PRODUCTION", "true"],
    ["SMTP_HOST", "127.0.0.1"],
    ["SMTP_PORT", String(server.port)],
    ["SMTP_SENDER", "todo@example.com"],
  ]);
  const { code, stdout } = await runCommand(application(), "email.send-test", "ada@example.com");
  assert.deepEqual([code, stdout], [0, "Sent the mail to ada@example.com through smtp."]);
  assert.equal((await parse(server.mails[0]?.raw ?? "")).subject, "A test mail");
});

test("email.send-test requires one valid address", async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  assert.equal((await runCommand(application(), "email.send-test")).code, 2);
  assert.equal((await runCommand(application(), "email.send-test", "a@example.com", "b@example.com")).code, 2);
  const { code, stderr } = await runCommand(application(), "email.send-test", "nobody");
  assert.equal(code, 1);
  assert.match(stderr, /E_EMAIL_ADDRESS.*"nobody", has no @/);
});

test("request errors are reported by mail", async () => {
  const email = Email.memory();
  const send = (report: Web.ErrorEmail): Promise<void> => email.send(report);
  const reporter = Web.emailReporter({ sender: "app@example.com", recipient: "ops@example.com", send });
  const hostile = `a\r\nBcc: eve@evil.example =?utf-8?Q?=0A?= \0\ud800 ${"🎉".repeat(100)}`;
  await reporter({ error: new Error(hostile), requestId: "1", method: "GET", path: "/" });
  assert.match(
    email.inbox.to("ops@example.com")[0]?.subject ?? "",
    /^\[error\] Error: a Bcc: eve@evil\.example =\?utf-8/,
  );
});
