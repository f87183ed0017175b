import { escape, unsafeHtml } from "../../../html/index.ts";
import { errors } from "../errors.ts";
import type { RenderedTemplate, TemplateInput } from "./contract.ts";

/**
 * Inserts values into a template, for `send`. Every `{name}` is replaced once: placeholders inside values stay. Values are
 * escaped in HTML. Other braces, such as in styles, stay.
 *
 * @throws E_EMAIL_TEMPLATE_VALUE if a value is missing.
 * @example
 * await email.send({ recipient: user.email, ...Email.render(template, { name: user.name, link }) });
 */
export function render(
  template: Pick<TemplateInput, "label" | "subject" | "text" | "html">,
  values: Readonly<Record<string, string | number>>,
): RenderedTemplate {
  const fill = (text: string, encode: (value: string) => string): string =>
    text.replaceAll(/\{([a-z_]\w*)\}/gi, (_, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) throw errors.E_EMAIL_TEMPLATE_VALUE(template.label, name);
      return encode(String(value));
    });
  return {
    // A subject must be one line, but values may have several.
    subject: fill(template.subject, (value) => value.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")),
    text: fill(template.text, (value) => value),
    // The HTML of the template is trusted; the values are escaped.
    ...(template.html === "" ? {} : { html: unsafeHtml(fill(template.html, escape)) }),
  };
}
