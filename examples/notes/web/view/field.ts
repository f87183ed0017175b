import { html, type Html } from "limmat/html";
import { Form, type Form as FormData } from "limmat/schema";

/** How a field of one line looks. */
export interface FieldOptions {
  readonly name: string;
  readonly label: string;
  readonly type?: "email" | "password" | "text";
  readonly autocomplete?: string;
}

/** A field of one line, with what was typed and what is wrong with it. */
export const field = (form: FormData, { name, label, type = "text", autocomplete = "off" }: FieldOptions): Html => {
  const [value, problem] = Form.find(form, name);
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ?autofocus=${problem !== undefined}
      aria-invalid="${problem !== undefined}"
      aria-describedby="${name}-error"
    />
    ${errorText(name, problem)}
  </div>`;
};

/** A field of many lines. */
export const area = (form: FormData, { name, label }: Pick<FieldOptions, "name" | "label">): Html => {
  const [value, problem] = Form.find(form, name);
  // HTML drops a line break right behind the tag, so there is one to drop.
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <textarea
      id="${name}"
      name="${name}"
      ?autofocus=${problem !== undefined}
      aria-invalid="${problem !== undefined}"
      aria-describedby="${name}-error"
    >
${value}</textarea>
    ${errorText(name, problem)}
  </div>`;
};

const errorText = (name: string, text: string | undefined): Html =>
  html`<p class="error" id="${name}-error">${text}</p>`;
