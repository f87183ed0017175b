import { html, type Html } from "limmat/html";
import { Form } from "limmat/schema";

/** Where a form goes, and what its buttons say. */
export interface FormOptions {
  /** Default: the address of the page. */
  readonly action?: string;
  readonly method?: "put" | "delete";
  readonly submit: string;
  /** Where the button "Cancel" leads. Without it there is none. */
  readonly cancel?: string;
}

/** A form: the CSRF token, the method where it is not POST, the fields, and the buttons. */
export const form = (csrf: string, options: FormOptions, fields: readonly Html[]): Html => html`
<form class="card" method="post" ?action=${options.action} novalidate>
  ${hidden("csrf", csrf)}
  ${options.method && hidden("_method", options.method)}
  ${fields}
  <div class="row">
    <button>${options.submit}</button>
    ${options.cancel && html`<a class="button quiet" href="${options.cancel}">Cancel</a>`}
  </div>
</form>`;

/** The button that deletes, a form of its own. */
export const deleteButton = (csrf: string, action: string, label: string): Html => html`
<form method="post" action="${action}">
  ${hidden("csrf", csrf)}
  ${hidden("_method", "delete")}
  <button class="danger" aria-label="Delete ${label}">Delete</button>
</form>`;

// The first field with something wrong has the focus when the page comes back: who hears the page hears what to mend.

/** What an input can be given beside name and label. */
export interface InputOptions {
  readonly type?: "text" | "number" | "date" | "datetime-local" | "email" | "password";
  readonly isRequired?: boolean;
  /** The steps of a number: `any`, or 1 for whole numbers; of a time, in seconds. */
  readonly step?: string;
  /** What browsers and password managers fill in: `username`, `current-password`, … */
  readonly autocomplete?: string;
}

/** An input of one line. */
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

/** An input of several lines. */
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

/** A choice of one. Without a value, and where none is required, nothing is chosen. */
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

const option = ([value, label]: readonly [value: string, label: string], chosen: string | undefined): Html =>
  html`<option value="${value}" ?selected=${value === chosen}>${label}</option>`;

/** A box to tick. */
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
