import { html, type Html } from "limmat/html";
import { Form, type Form as FormData } from "limmat/schema";

/** Options of a one-line field. */
export interface FieldOptions {
  readonly name: string;
  readonly label: string;
  readonly type?: "email" | "password" | "text";
  readonly autocomplete?: string;
}

/** Renders a one-line field with its value and its error. */
export const inputField = (
  form: FormData,
  { name, label, type = "text", autocomplete = "off" }: FieldOptions,
): Html => {
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

/** Renders a multi-line field with its value and its error. */
export const textareaField = (form: FormData, { name, label }: Pick<FieldOptions, "name" | "label">): Html => {
  const [value, problem] = Form.find(form, name);
  // The HTML parser drops a line break directly after <textarea>. The extra one keeps a leading line break of the value.
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
