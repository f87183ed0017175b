// Services on a transport that throws foreign errors.
import assert from "node:assert/strict";
import { appendFileSync, mkdtempDisposableSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../../../config/index.ts";
import { html } from "../../../html/index.ts";
import type { EmailService } from "../contract.ts";
import { failover } from "../failover.ts";
import { isolate, message } from "../mail-server.test.ts";
import { memory } from "./memory/memory.ts";
import { makeEmail, senderField } from "./make-email.ts";

const log = isolate({ EMAIL_SEND_OUTSIDE_PRODUCTION: "true" });

const sender = senderField("POST_SENDER");
const email = makeEmail({
  implementation: "post",
  configuration: [sender],
  sender,
  open: () => ({
    send: async ({ recipients: [first] }) => {
      if (first?.address.startsWith("ada") === true) throw new TypeError("fetch failed");
    },
    verify: async () => "post.example.com",
    close: () => {},
  }),
});

test("a foreign error of a transport becomes E_EMAIL_UNAVAILABLE, and the other mails are sent", async () => {
  await email.start({ services: [email] });
  const recipients = ["bob@example.com", "ada@example.com", "eve@example.com"];
  const failures = await email.sendAll(recipients.map((recipient) => message({ recipient })));
  assert.deepEqual(
    failures.map(({ index, error }) => [index, error.code, error.cause instanceof TypeError]),
    [[1, "E_EMAIL_UNAVAILABLE", true]],
  );
  await email.stop();
});

test("a failover treats a foreign error as unavailable", async () => {
  const spare = memory({ name: "email-spare" });
  await email.start({ services: [email] });
  await failover(email, spare).send(message());
  assert.equal(spare.inbox.to("ada@example.com").length, 1);
  await email.stop();
});

describe("captured mails", () => {
  const development = (root: string, more: Readonly<Record<string, string>> = {}): void =>
    Configuration.store(
      Object.entries({ FRAMEWORK_ENV: "development", EMAIL_SEND_OUTSIDE_PRODUCTION: "", ROOT_PATH: root, ...more }),
    );
  /** Starts a service as a new process does. */
  const started = async (name: string): Promise<EmailService> => {
    const service = makeEmail({ name, implementation: "post", configuration: [sender], sender, open: unused });
    await service.start({ services: [service] });
    return service;
  };
  const unused = (): never => assert.fail("no transport is opened");

  test("are kept over a restart of the process in development, with all their parts", async () => {
    using root = mkdtempDisposableSync(join(tmpdir(), "limmat-inbox-"));
    development(root.path);
    const first = await started("email");
    await first.send(message({ subject: "First" }));
    const attachments = [{ name: "a.bin", type: "image/png", cid: "logo", content: new Uint8Array([0, 255, 10, 13]) }];
    await first.send(
      message({
        subject: "Second",
        cc: "bob@example.com",
        html: html`<p>日👍</p>`,
        attachments,
        headers: { "X-A": "b" },
      }),
    );
    const sent = first.inbox.all();
    await first.stop();

    const second = await started("email");
    assert.deepEqual(second.inbox.all(), sent);
    assert.deepEqual(
      sent.map(({ subject }) => subject),
      ["Second", "First"],
    );
    const found = second.inbox.findOpt(sent[1]?.id ?? "");
    assert.deepEqual([found?.subject, found?.captured_at instanceof Date], ["First", true]);
    assert.equal(second.inbox.all(), second.inbox.all(), "an unchanged file is parsed once");
    assert.equal(second.inbox.to("BOB@example.com").length, 1);

    // Another process, such as a worker of the queue, writes to the same inbox.
    await (await started("email")).send(message({ subject: "Third" }));
    assert.equal(second.inbox.all()[0]?.subject, "Third");
    assert.deepEqual((await started("other")).inbox.all(), [], "each service has its own inbox");

    second.inbox.clear();
    second.inbox.clear();
    assert.deepEqual([second.inbox.all(), (await started("email")).inbox.all()], [[], []]);
  });

  test("can be read by the owner of the file only", async () => {
    using root = mkdtempDisposableSync(join(tmpdir(), "limmat-inbox-"));
    development(root.path);
    await (await started("email")).send(message());
    assert.equal(statSync(join(root.path, "tmp/email-inbox.jsonl")).mode & 0o777, 0o600);
  });

  test("are bounded in number and size, the oldest are removed", async () => {
    using root = mkdtempDisposableSync(join(tmpdir(), "limmat-inbox-"));
    development(root.path);
    const service = await started("email");
    const attachments = [{ name: "a.bin", content: new Uint8Array(5_000_000) }];
    const counts: number[] = [];
    for (const number of Array(12).keys()) {
      await service.send(message({ subject: `Mail ${number}`, attachments }));
      const subjects = service.inbox.all().map(({ subject }) => subject);
      counts.push(subjects.length);
      assert.deepEqual(
        subjects,
        subjects.map((_, index) => `Mail ${number - index}`),
      );
    }
    // Five mails with 6.7 MB of base64 have 33.3 MB. The sixth mail reduces them to two, with at most half of 32 MiB.
    assert.deepEqual(counts, [1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3]);
    assert.deepEqual(readdirSync(join(root.path, "tmp")), ["email-inbox.jsonl"]);
    for (const number of Array(501).keys()) await service.send(message({ subject: `Small ${number}` }));
    assert.equal(service.inbox.all().length, 500);
    assert.equal(service.inbox.all().at(-1)?.subject, "Small 1");
  });

  test("survive lines that are broken", async () => {
    using root = mkdtempDisposableSync(join(tmpdir(), "limmat-inbox-"));
    development(root.path);
    const service = await started("email");
    await service.send(message({ subject: "Before" }));
    appendFileSync(join(root.path, "tmp/email-inbox.jsonl"), 'null\n{}\n{"id":1\n');
    await service.send(message({ subject: "After" }));
    assert.deepEqual(
      service.inbox.all().map(({ subject }) => subject),
      ["After", "Before"],
    );
  });

  test("are kept in memory where the folder cannot be written, with one warning", async () => {
    using root = mkdtempDisposableSync(join(tmpdir(), "limmat-inbox-"));
    development(root.path);
    writeFileSync(join(root.path, "tmp"), "a file");
    const service = await started("email");
    await service.send(message({ subject: "First" }));
    await service.send(message({ subject: "Second" }));
    assert.equal(service.inbox.all().length, 2);
    const warnings = log.entries.filter(({ level }) => level === "warning");
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]?.message ?? "", /email-inbox\.jsonl/);
  });

  test("stay in memory in tests, in production and without FRAMEWORK_ENV", async () => {
    using root = mkdtempDisposableSync(join(tmpdir(), "limmat-inbox-"));
    development(root.path, { FRAMEWORK_ENV: "test" });
    await (await started("email")).send(message());
    ConfigurationInternals.reset();
    if (process.env["FRAMEWORK_ENV"] === undefined) {
      development(root.path, { FRAMEWORK_ENV: "" });
      await (await started("email")).send(message());
    }
    assert.deepEqual(readdirSync(root.path), []);
  });

  test("are the last 500 of a service in memory, which a restart of the service keeps", async () => {
    Configuration.store([["EMAIL_SEND_OUTSIDE_PRODUCTION", ""]]);
    const service = await started("email");
    for (const number of Array(501).keys()) await service.send(message({ subject: `Mail ${number}` }));
    await service.stop();
    await service.start({ services: [service] });
    assert.equal(service.inbox.all().length, 500);
    assert.equal(service.inbox.all().at(-1)?.subject, "Mail 1");
    service.inbox.clear();
    assert.deepEqual(service.inbox.all(), []);
  });
});
