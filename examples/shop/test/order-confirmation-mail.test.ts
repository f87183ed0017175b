import assert from "node:assert/strict";
import { Email } from "limmat";
import { orderConfirmationPreview } from "../app/mail/order-confirmation.ts";
import { test, useServices } from "./setup.ts";

useServices();

test("order_confirmation shows its values as HTML and as text", async () => {
  const email = Email.memory();
  await email.send({ recipient: "ada@example.com", ...orderConfirmationPreview() });
  const [mail] = email.inbox.all();
  assert.equal(mail?.subject, "Your order");
  for (const value of ["First name", "12.50", "First link"]) {
    assert.ok(mail.html?.includes(value), value);
    assert.ok(mail.text.includes(value), value);
  }
});
