import { escape, unsafeHtml } from "../../../html/index.ts";
import { errors } from "../errors.ts";
import type { RenderedTemplate, TemplateInput } from "./contract.ts";

/**
 * Puts values into a template, for `send`. Every `{name}` is replaced once: what stands in a value is never read as a
 * template, and in the page it is shown as it is, never as HTML. Other braces, such as those of styles, stay.
 *
 * @throws E_EMAIL_TEMPLATE_VALUE when a value is missing.
 * @example
 * await email.send({ recipient: user.email, ...Email.render(template, { name: user.name, link }) });
 */
export function render(
  template: Pick<TemplateInput, "label" | "subject" | "text" | "html">,
  values: Readonly<Record<string, string | number>>,
): RenderedTemplate {
  const fill = (text: string, write: (value: string) => string): string =>
    text.replaceAll(/\{([a-z_]\w*)\}/gi, (_, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) throw errors.E_EMAIL_TEMPLATE_VALUE(template.label, name);
      return write(String(value));
    });
  return {
    // A value may have come from a text of several lines; a subject has one.
    subject: fill(template.subject, (value) => value.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")),
    text: fill(template.text, (value) => value),
    // The page is its author's; the values are made safe.
    ...(template.html === "" ? {} : { html: unsafeHtml(fill(template.html, escape)) }),
  };
}
