import { Configuration, Email } from "limmat";
import { html } from "limmat/html";

interface Values {
  readonly name: string;
  readonly total: string;
  readonly link: string;
}

/**
 * Returns the mail `order_confirmation`. Its plain text is generated from the HTML.
 *
 * @example
 * await email.send({ recipient: order.email, ...orderConfirmation(values) });
 */
export const orderConfirmation = (values: Values): Email.MailContent => ({
  subject: "Your order",
  html: Email.layout(
    { title: "Your order", header: Configuration.appUrl().host },
    html`<h1>Thank you for your order</h1>
      <p>${values.name}, we have received your payment.</p>
      <p>Total: ${values.total}</p>
      ${Email.button("Show the order", values.link)}`,
  ),
});

/** Returns the mail with sample values, which the inbox of the development server shows. */
export const orderConfirmationPreview = (): Email.MailContent =>
  orderConfirmation({ name: "First name", total: "12.50", link: "First link" });
