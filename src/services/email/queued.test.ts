// Queued mails: no mail is lost, sent twice, or sent before its transaction is committed.
import { TimeInternals } from "../../time/index.ts";
import { LogInternals } from "../../log/index.ts";
import assert from "node:assert/strict";
import { afterEach, describe, test } from "node:test";
import { App, Configuration, Email, Log, Migration, Queue, Time } from "limmat";
import { ConfigurationInternals } from "../../config/index.ts";
import type { Database } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { smtp } from "limmat/email/smtp";
import { html } from "limmat/html";
import { fakeClock } from "limmat/testing";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { mailServer, message, parse, scriptedServer } from "./mail-server.test.ts";

afterEach(() => {
  ConfigurationInternals.reset();
  LogInternals.reset();
});

interface Started extends AsyncDisposable {
  readonly queue: Queue.Queue;
  readonly email: Email.EmailService;
}

/** Starts a queue and a service that sends its mails to a mail server. */
async function started(port: number, database?: Database): Promise<Started> {
  Configuration.store([
    ["FRAMEWORK_ENV", "test"],
    ["EMAIL_SEND_OUTSIDE_PRODUCTION", "true"],
    ["SMTP_HOST", "127.0.0.1"],
    ["SMTP_PORT", String(port)],
  ]);
  Log.configure({ level: "error", reporters: [] });
  const queue = database === undefined ? Queue.memory() : Queue.sql({ database });
  const email = Email.queued({ queue, email: smtp() });
  const migration = database === undefined ? [] : [Migration.service({ database, onPending: "run" })];
  const app: App.Application = App.create({ services: [...migration, email] });
  await app.start({ server: false });
  return { queue, email, [Symbol.asyncDispose]: () => app.stop() };
}

function cases(name: string, open: () => Database | undefined): void {
  describe(name, () => {
    test("a mail from the queue arrives unchanged", async () => {
      await using server = await mailServer();
      await using subject = await started(server.port, open());
      const attachments = [{ name: "a.bin", content: Uint8Array.of(0, 1, 255) }];
      await subject.email.send(message({ bcc: "bob@example.com", html: html`<p>ü</p>`, attachments }));
      assert.equal(server.mails.length, 0);
      await subject.queue.runDue();
      assert.deepEqual(server.mails[0]?.to, ["ada@example.com", "bob@example.com"]);
      const mail = await parse(server.mails[0].raw);
      assert.deepEqual(new Uint8Array(mail.attachments[0]?.content as ArrayBuffer), Uint8Array.of(0, 1, 255));
      assert.equal(mail.html?.trim(), "<p>ü</p>");
    });

    test("an invalid message is refused immediately, and none of its batch is queued", async () => {
      await using subject = await started(1, open());
      await assert.rejects(subject.email.send(message({ recipient: "nobody" })), { code: "E_EMAIL_ADDRESS" });
      await assert.rejects(subject.email.sendAll([message(), message({ subject: "a\nb" })]), {
        code: "E_EMAIL_MESSAGE",
      });
      assert.equal((await subject.queue.counts()).pending, 0);
      assert.deepEqual(await subject.email.sendAll([message(), message()]), []);
      assert.equal((await subject.queue.counts()).pending, 2);
    });

    test("an outage of hours loses no mail and duplicates none", async () => {
      using clock = fakeClock();
      let isAway = true;
      await using server = await scriptedServer((command) => (command === "" && isAway ? "421 away" : undefined));
      await using subject = await started(server.port, open());
      const recipients = Array.from({ length: 25 }, (_, index) => `user${index}@example.com`);
      for (const recipient of recipients) await subject.email.send(message({ recipient }));
      for (let hour = 0; hour < 5; hour++) {
        await subject.queue.runDue();
        await clock.advance(Time.hours(1));
      }
      assert.ok(server.connections() >= 5 * recipients.length);
      assert.deepEqual(await subject.queue.counts(), {
        pending: 25,
        running: 0,
        succeeded: 0,
        failed: 0,
        cancelled: 0,
      });
      isAway = false;
      await clock.advance(Time.hours(5));
      await subject.queue.runDue();
      assert.equal((await subject.queue.counts()).succeeded, 25);
      const sent = server.lines
        .filter((line) => line.startsWith("RCPT"))
        .map((line) => line.slice("RCPT TO:<".length, -1));
      assert.deepEqual(sent.toSorted(), recipients.toSorted());
    });

    test("a refused mail is not retried, and its error is stored", async () => {
      await using server = await scriptedServer((command) =>
        command.startsWith("RCPT") ? "550 5.1.1 no such user" : undefined,
      );
      await using subject = await started(server.port, open());
      await subject.email.send(message());
      const [instance] = await subject.queue.runDue();
      assert.equal(instance?.status, "failed");
      assert.equal(instance.attempts, 1);
      assert.equal(instance.name, "email.send");
      assert.match(instance.last_error ?? "", /^E_EMAIL_REFUSED: .*550 5\.1\.1 no such user/);
    });

    test("a mail without a sender is not retried, and a sent mail succeeds", async () => {
      await using server = await mailServer();
      await using subject = await started(server.port, open());
      const { sender: _, ...anonymous } = message();
      await subject.email.send(anonymous);
      const [failed] = await subject.queue.runDue();
      assert.deepEqual([failed?.status, failed?.attempts], ["failed", 1]);
      assert.match(failed?.last_error ?? "", /^E_EMAIL_SENDER_MISSING/);
      await subject.email.send(message());
      const [sent] = await subject.queue.runDue();
      assert.deepEqual([sent?.status, sent?.last_error], ["succeeded", undefined]);
    });

    test("deliver queues a validated mail", async () => {
      await using server = await mailServer();
      await using subject = await started(server.port, open());
      const inbox = Email.memory();
      await inbox.send(message({ subject: "handed on" }));
      const [{ captured_at: _, ...mail }] = inbox.inbox.all() as [Email.CapturedMail];
      await subject.email.deliver(mail);
      assert.equal(server.mails.length, 0);
      await subject.queue.runDue();
      assert.equal((await parse(server.mails[0]?.raw ?? "")).subject, "handed on");
    });

    test("a mail fails after ten attempts, within a day", async () => {
      using clock = fakeClock();
      await using subject = await started(1, open());
      await subject.email.send(message());
      const began = TimeInternals.timestamp();
      for (let count = 0; (await subject.queue.counts()).failed === 0; count++) {
        assert.ok(count < 200);
        await subject.queue.runDue();
        await clock.advance(Time.minutes(10));
      }
      const [[failed]] = await subject.queue.search({ status: "failed" });
      assert.equal(failed?.attempts, 10);
      assert.match(failed.last_error ?? "", /^E_EMAIL_UNAVAILABLE/);
      assert.ok(
        TimeInternals.timestamp() - began > Time.hours(8) && TimeInternals.timestamp() - began < Time.hours(24),
      );
    });
  });
}

function transactions(name: string, open: () => Database): void {
  test(`${name}: queueing a mail takes part in the surrounding transaction`, async () => {
    await using server = await mailServer();
    const database = open();
    await using subject = await started(server.port, database);
    await assert.rejects(
      database.transaction(async () => {
        await subject.email.send(message({ subject: "never" }));
        throw new Error("undo");
      }),
      /undo/,
    );
    await database.transaction(async () => {
      await subject.email.send(message({ subject: "committed" }));
    });
    await subject.queue.runDue();
    assert.deepEqual(await Promise.all(server.mails.map(async ({ raw }) => (await parse(raw)).subject)), ["committed"]);
  });
}

function largest(name: string, open: () => Database): void {
  test(`${name}: the largest mail fits into a job`, async () => {
    await using server = await mailServer({ size: 64 * 1024 * 1024 });
    await using subject = await started(server.port, open());
    const page = html`<p>${"€".repeat(499_900)}</p>`;
    const attachments = [{ name: "a.bin", content: new Uint8Array(6 * 1024 * 1024).fill(255) }];
    await subject.email.send(message({ text: "€".repeat(500_000), html: page, attachments }));
    await subject.queue.runDue();
    assert.equal(server.mails.length, 1);
  });
}

const memoryDatabase = (): Database => sqlite({ url: ":memory:" });

cases("a queue in memory", () => undefined);
cases("a queue in SQLite", memoryDatabase);
transactions("SQLite", memoryDatabase);
await withServer(postgresqlServer, ({ url }) => transactions("PostgreSQL", () => postgresql({ url })));
await withServer(mariadbServer, ({ url }) => {
  transactions("MariaDB", () => mariadb({ url }));
  // MariaDB has the smallest statement limit of the three.
  largest("MariaDB", () => mariadb({ url }));
});

test("in tests queued mails appear in the inbox", async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  const queue = Queue.memory();
  const email = Email.queued({ queue, email: smtp() });
  const app = App.create({ services: [email] });
  await app.start({ server: false });
  await email.send(message());
  await queue.runDue();
  assert.equal(email.inbox.to("ada@example.com").length, 1);
  assert.equal(email.implementation, "queued");
  assert.deepEqual([email.name, email.dependencies().map(({ name }) => name)], ["email-queue", ["queue", "email"]]);
  await app.stop();
});
