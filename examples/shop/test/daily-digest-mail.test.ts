import assert from "node:assert/strict";
import { Email } from "limmat";
import { dailyDigestPreview } from "../app/mail/daily-digest.ts";
import { test, useServices } from "./setup.ts";

useServices();

test("daily_digest shows its values as HTML and as text", async () => {
  const email = Email.memory();
  await email.send({ recipient: "ada@example.com", ...dailyDigestPreview() });
  const [mail] = email.inbox.all();
  assert.equal(mail?.subject, "Daily digest");
  for (const value of ["2026-01-31", "7", "12.50"]) {
    assert.ok(mail.html?.includes(value), value);
    assert.ok(mail.text.includes(value), value);
  }
});
