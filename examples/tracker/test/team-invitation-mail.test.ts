import assert from "node:assert/strict";
import { Email } from "limmat";
import { teamInvitationPreview } from "../app/mail/team-invitation.ts";
import { test, useServices } from "./setup.ts";

useServices();

test("team_invitation shows its values as HTML and as text", async () => {
  const email = Email.memory();
  await email.send({ recipient: "ada@example.com", ...teamInvitationPreview() });
  const [mail] = email.inbox.all();
  assert.equal(mail?.subject, "Invitation to a team");
  for (const value of ["First name", "First sender", "First role", "First url"]) {
    assert.ok(mail.html?.includes(value), value);
    assert.ok(mail.text.includes(value), value);
  }
});
