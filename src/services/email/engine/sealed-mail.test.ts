// Encryption of queued mails.
import assert from "node:assert/strict";
import { createDecipheriv } from "node:crypto";
import { afterEach, beforeEach, describe, test } from "node:test";
import { App, Configuration, Email, Queue } from "limmat";
import { ConfigurationInternals } from "../../../config/index.ts";
import { capturedLog } from "limmat/testing";
import { unseal } from "./sealed-mail.ts";

const [secret, other] = ["a secret of the tests that is long enough", "another secret that is long enough as well"];
const message = {
  recipient: "ada@example.com",
  subject: "Set a new password",
  text: "https://example.com/?token=lmt_secret",
  attachments: [{ name: "a.bin", content: new Uint8Array([0, 255, 128]) }],
};

describe("a mail in a queue", () => {
  let log: ReturnType<typeof capturedLog>;
  let app: App.Application;
  let queue: Queue.Queue;
  let inner: Email.EmailService;
  let email: Email.EmailService;

  beforeEach(async () => {
    log = capturedLog();
    Configuration.store([
      ["FRAMEWORK_ENV", "test"],
      ["FRAMEWORK_SECRET", secret],
    ]);
    queue = Queue.memory();
    inner = Email.memory();
    email = Email.queued({ queue, email: inner });
    app = App.create({ services: [email] });
    await app.start({ server: false });
  });
  afterEach(async () => {
    await app.stop();
    ConfigurationInternals.reset();
    log[Symbol.dispose]();
  });

  const storedJobs = async (): Promise<string> => JSON.stringify(await queue.search());

  test("is unreadable without the secret, and arrives unchanged", async () => {
    await email.send(message);
    await email.sendAll([message]);
    const jobs = await storedJobs();
    const sealed = [...jobs.matchAll(/\\"sealed\\":\\"([\w-]+)\\"/g)].map(([, text = ""]) => text);
    assert.equal(sealed.length, 2);
    // Texts that random ids, nonces and ciphertexts do not contain by chance.
    for (const stored of [jobs, ...sealed.map((text) => Buffer.from(text, "base64url").toString("latin1"))])
      assert.doesNotMatch(stored, /ada@example|a new password|lmt_secret/);
    await queue.runDue();
    const mails = inner.inbox.to("ada@example.com");
    assert.equal(mails.length, 2);
    for (const { text, attachments } of mails) {
      assert.equal(text, message.text);
      assert.deepEqual([...(attachments[0]?.content ?? [])], [0, 255, 128]);
    }
  });

  test("is refused if it was changed or truncated", async () => {
    await email.send({ ...message, subject: "Grüße" });
    const [[job]] = await queue.search();
    const { sealed } = JSON.parse(job?.input ?? "") as { readonly sealed: string };
    const bytes = Buffer.from(sealed, "base64url");
    const changed = Buffer.from(bytes);
    changed[20] = (changed[20] ?? 0) ^ 1;
    for (const wrong of ["", "x", ...[0, 12, 27, 28, 40].map((end) => bytes.subarray(0, end).toString("base64url"))])
      assert.throws(() => unseal({ sealed: wrong }), { code: "E_EMAIL_SEALED" });
    assert.throws(() => unseal({ sealed: changed.toString("base64url") }), { code: "E_EMAIL_SEALED" });
    assert.equal(unseal({ sealed }).subject, "Grüße");
    // Nonce and tag lengths of NIST SP 800-38D. Later releases must be able to decrypt this.
    const key = Configuration.secretKeys("queued mail").current;
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(12, 28));
    const plain = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString();
    assert.equal((JSON.parse(plain) as { subject: string }).subject, "Grüße");
  });

  test("is decrypted with a former secret, and fails with a reason without it", async () => {
    await email.send(message);
    Configuration.store([
      ["FRAMEWORK_SECRET", other],
      ["FRAMEWORK_SECRET_OLD", secret],
    ]);
    await queue.runDue();
    assert.equal(inner.inbox.all().length, 1);
    await email.send(message);
    Configuration.store([
      ["FRAMEWORK_SECRET", `${other}!`],
      ["FRAMEWORK_SECRET_OLD", ""],
    ]);
    await queue.runDue();
    assert.equal(inner.inbox.all().length, 1);
    assert.match(await storedJobs(), /"failed".*FRAMEWORK_SECRET_OLD/);
  });
});
