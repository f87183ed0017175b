import { Configuration, Email } from "limmat";
import { html } from "limmat/html";

interface Values {
  readonly day: string;
  readonly orders: number;
  readonly total: string;
}

/**
 * Returns the mail `daily_digest`. Its plain text is generated from the HTML.
 *
 * @example
 * await email.send({ recipient: order.email, ...dailyDigest(values) });
 */
export const dailyDigest = (values: Values): Email.MailContent => ({
  subject: "Daily digest",
  html: Email.layout(
    { title: "Daily digest", header: Configuration.appUrl().host },
    html`<h1>Daily digest</h1>
      <p>Day: ${values.day}</p>
      <p>Orders: ${values.orders}</p>
      <p>Total: ${values.total}</p>
      ${Email.button("Open", Configuration.appUrl().href)}`,
  ),
});

/** Returns the mail with sample values, which the inbox of the development server shows. */
export const dailyDigestPreview = (): Email.MailContent =>
  dailyDigest({ day: "2026-01-31", orders: 7, total: "12.50" });
