// Services on a transport that throws foreign errors.
import assert from "node:assert/strict";
import { test } from "node:test";
import { failover } from "../failover.ts";
import { isolate, message } from "../mail-server.test.ts";
import { memory } from "./memory/memory.ts";
import { makeEmail, senderField } from "./make-email.ts";

isolate({ EMAIL_SEND_OUTSIDE_PRODUCTION: "true" });

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
