import { html, type Html } from "limmat/html";
import { Form } from "limmat/schema";

/** Target and buttons of a form. */
export interface FormOptions {
  /** Default: the URL of the page. */
  readonly action?: string;
  readonly method?: "put" | "delete";
  /** Label of the submit button. */
  readonly submit: string;
  /** Target of the button "Cancel". Default: no such button. */
  readonly cancel?: string;
}

/** Renders a form with the CSRF token, the method override, the fields and the buttons. */
export const form = (csrf: string, options: FormOptions, fields: readonly Html[]): Html => html`
<form class="card" method="post" ?action=${options.action} novalidate>
  ${hidden("csrf", csrf)}
  ${options.method && hidden("_method", options.method)}
  ${fields}
  <div class="row">
    <button>${options.submit}</button>
    ${options.cancel && html`<a class="button secondary" href="${options.cancel}">Cancel</a>`}
  </div>
</form>`;

/** Renders a delete button in a form of its own. */
export const deleteButton = (csrf: string, action: string, label: string): Html => html`
<form method="post" action="${action}">
  ${hidden("csrf", csrf)}
  ${hidden("_method", "delete")}
  <button class="danger" aria-label="Delete ${label}">Delete</button>
</form>`;

/** Options of an input. */
export interface InputOptions {
  readonly type?: "text" | "number" | "date" | "datetime-local" | "email" | "password";
  readonly isRequired?: boolean;
  /** Step of a number (default 1, `any` for decimals), or of a time in seconds. */
  readonly step?: string;
  /** Autofill type for browsers and password managers: `username`, `current-password`, … */
  readonly autocomplete?: string;
}

/** Renders a one-line input. The first invalid field gets the focus, so that screen readers announce its error. */
export const input = (data: Form, name: string, label: string, options: InputOptions = {}): Html => {
  const { type = "text", isRequired = false, step, autocomplete } = options;
  const [value, error] = Form.find(data, name);
  return field(
    name,
    label,
    error,
    html`
  <input id="${name}" name="${name}" type="${type}" value="${value}" ?step=${step}
    ?autocomplete=${autocomplete} ?required=${isRequired}
    aria-invalid="${error !== undefined}" aria-describedby="${name}-error" ?autofocus=${error !== undefined}>`,
  );
};

/** Renders a multi-line input. */
export const textarea = (data: Form, name: string, label: string, { isRequired = false }: InputOptions = {}): Html => {
  const [value, error] = Form.find(data, name);
  return field(
    name,
    label,
    error,
    html`
  <textarea id="${name}" name="${name}" ?required=${isRequired}
    aria-invalid="${error !== undefined}" aria-describedby="${name}-error" ?autofocus=${error !== undefined}>
${value}</textarea>`,
  );
};

/** Renders a select control. Without a value, the empty option is selected. */
export const select = (
  data: Form,
  name: string,
  label: string,
  choices: readonly (string | readonly [value: string, label: string])[],
  { isRequired = false }: InputOptions = {},
): Html => {
  const [value, error] = Form.find(data, name);
  return field(
    name,
    label,
    error,
    html`
  <select id="${name}" name="${name}" ?required=${isRequired}
    aria-invalid="${error !== undefined}" aria-describedby="${name}-error" ?autofocus=${error !== undefined}>
    <option value="">Please choose</option>
    ${choices.map((choice) => option(typeof choice === "string" ? [choice, choice] : choice, value))}
  </select>`,
  );
};

const option = ([value, label]: readonly [value: string, label: string], selected: string | undefined): Html =>
  html`<option value="${value}" ?selected=${value === selected}>${label}</option>`;

/** Renders a checkbox. */
export const checkbox = (data: Form, name: string, label: string): Html => {
  const [, error] = Form.find(data, name);
  return html`
<div class="field">
  <div class="check">
    <input id="${name}" name="${name}" type="checkbox" value="true" ?checked=${Form.isChecked(data, name)}
      aria-describedby="${name}-error">
    <label for="${name}">${label}</label>
  </div>
  <p class="error" id="${name}-error">${error}</p>
</div>`;
};

const field = (name: string, label: string, error: string | undefined, control: Html): Html => html`
<div class="field">
  <label for="${name}">${label}</label>
  ${control}
  <p class="error" id="${name}-error">${error}</p>
</div>`;

const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`;
