import { Configuration, Email } from "limmat";
import { html } from "limmat/html";
import { text } from "../../language/language.ts";

interface Values {
  readonly name: string;
  readonly sender: string;
  readonly role: string;
  readonly url: string;
}

/**
 * Returns the mail `team_invitation`. Its plain text is generated from the HTML.
 *
 * @example
 * await email.send({ recipient: order.email, ...teamInvitation(values) });
 */
export const teamInvitation = (values: Values): Email.MailContent => ({
  subject: text.member.mail.subject,
  html: Email.layout(
    { title: text.member.mail.subject, header: Configuration.appUrl().host },
    html`<h1>${text.member.mail.subject}</h1>
      <p>${text.member.mail.name}: ${values.name}</p>
      <p>${text.member.mail.sender}: ${values.sender}</p>
      <p>${text.member.mail.role}: ${values.role}</p>
      <p>${text.member.mail.hint}</p>
      ${Email.button(text.member.mail.open, values.url)}`,
  ),
});

/** Returns the mail with sample values, which the inbox of the development server shows. */
export const teamInvitationPreview = (): Email.MailContent =>
  teamInvitation({ name: "First name", sender: "First sender", role: "First role", url: "First url" });
