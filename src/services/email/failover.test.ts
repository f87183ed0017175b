import assert from "node:assert/strict";
import { test } from "node:test";
import { Configuration } from "../../config/index.ts";
import { isError } from "../../core/index.ts";
import type { EmailService } from "./contract.ts";
import { failover } from "./failover.ts";
import { isolate, message, type Script, scriptedServer } from "./mail-server.test.ts";
import { memory } from "./transport/memory/memory.ts";
import { smtp } from "./transport/smtp/index.ts";

const log = isolate({ EMAIL_SEND_OUTSIDE_PRODUCTION: "true", SMTP_HOST: "127.0.0.1" });

/** Runs a test with a failover from a scripted server to a memory service. */
async function behind(
  script: Script,
  work: (email: EmailService, spare: EmailService) => Promise<void>,
): Promise<void> {
  await using server = await scriptedServer(script);
  Configuration.store([["SMTP_PORT", String(server.port)]]);
  const [first, spare] = [smtp(), memory({ name: "email-spare" })];
  const email = failover(first, spare);
  assert.deepEqual(email.dependencies(), [first, spare]);
  await first.start({ services: [first] });
  try {
    await work(email, spare);
  } finally {
    await first.stop();
  }
}

test("a mail goes to the next service if one is unavailable", () =>
  behind(
    (command) => (command.startsWith("MAIL") ? "421 away" : undefined),
    async (email, spare) => {
      await email.send(message());
      assert.equal(spare.inbox.all().length, 1);
      assert.deepEqual(
        log.entries.map(({ level, message: text }) => [level, text]),
        [["warning", 'The e-mail service "email" is unavailable']],
      );
    },
  ));

test("a mail that a service refuses or accepts goes to no other", async () => {
  await behind(
    (command) => (command.startsWith("RCPT TO:<eve") ? "550 no" : undefined),
    async (email, spare) => {
      const unsent = await email.sendAll([message(), message({ recipient: "eve@example.com" })]);
      assert.deepEqual(
        unsent.map(({ index, error }) => [index, error.code]),
        [[1, "E_EMAIL_REFUSED"]],
      );
      assert.deepEqual(spare.inbox.all(), []);
    },
  );
});

test("E_EMAIL_UNAVAILABLE is thrown if no service is available", async () => {
  await using server = await scriptedServer((command) => (command === "" ? "421 away" : undefined));
  Configuration.store([["SMTP_PORT", String(server.port)]]);
  const services = [smtp(), smtp({ name: "email-spare" })] as const;
  for (const service of services) await service.start({ services });
  await assert.rejects(failover(...services).send(message()), (error) => isError(error, "E_EMAIL_UNAVAILABLE"));
  assert.equal(server.connections(), 2);
  for (const service of services) await service.stop();
});
