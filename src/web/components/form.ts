import { html, type Html, type HtmlValue } from "../../html/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { Form, type Schema } from "../../schema/index.ts";
import { errorSummary } from "./error-summary.ts";
import { controlTypeOf, describeField } from "./field-description.ts";
import { field, hiddenField } from "./field.ts";
import type { FieldsOptions, FormFieldOptions } from "./field-frame.ts";
import { type FieldTexts, labelOf } from "../labels.ts";
import { type FieldName, ownValue } from "../names.ts";

/** Target and buttons of a form. */
export interface FormOptions {
  /** CSRF token: `Csrf.find(request)`, or the second argument of a resource's view. */
  readonly csrf: string;
  /** URL that receives the form. Default: the URL of the page. */
  readonly action?: string | undefined;
  /** Method of the route. Default `post`. The others are sent in the hidden field `_method`. */
  readonly method?: "post" | "put" | "patch" | "delete" | undefined;
  /** Version of the edited item, sent in the hidden field `version`. */
  readonly version?: number | undefined;
  /** Label of the submit button. */
  readonly submit: string;
  /** URL that "Cancel" leads to. Default: no such link. */
  readonly cancel?: string | undefined;
  /** True for a form with files. Default false. */
  readonly isMultipart?: boolean | undefined;
  /** Default `card`. */
  readonly className?: string | undefined;
  readonly id?: string | undefined;
}

/**
 * Renders a form: CSRF token, method, content and buttons. Browsers do not validate it, as the messages of the schema are
 * better: they are shown next to the fields and in the language of the page.
 */
export function form(options: FormOptions, content: HtmlValue): Html {
  const { csrf, action, method = "post", version, submit, cancel } = options;
  const { isMultipart = false, className = "card", id } = options;
  return html` <form
    ?id=${id}
    class="${className}"
    method="post"
    ?action=${action}
    ?enctype=${isMultipart && "multipart/form-data"}
    novalidate
  >
    ${hiddenField("csrf", csrf)} ${method !== "post" && hiddenField("_method", method)}
    ${version !== undefined && hiddenField("version", version)} ${content}
    <div class="row">
      <button>${submit}</button>
      ${cancel !== undefined && html`<a class="button secondary" href="${cancel}">${LanguageInternals.frameworkTexts().components.cancel}</a>`}
    </div>
  </form>`;
}

/** Options of the fields of a form, by name; `false` leaves a field out. */
export type FormFields<T> = {
  readonly [Name in keyof T & string]?: FormFieldOptions | false | Inherited<Name>;
};

/** Type of a property that every object inherits: a field may have the name `constructor`. */
type Inherited<Name> = Name extends keyof typeof Object.prototype ? (typeof Object.prototype)[Name] : never;

/** Options of a form that a schema describes. */
export interface FormOfOptions<T> extends FormOptions {
  /** Options of the fields. A field without options has the defaults of `field`. */
  readonly fields?: FormFields<T> | undefined;
  /** Names of the fields, in their order. Default: all fields of the schema. */
  readonly only?: readonly (keyof T & string)[] | undefined;
  /** Message about the form as a whole, above those about its fields. */
  readonly message?: string | undefined;
  /** Content before the fields, such as a heading. */
  readonly before?: HtmlValue;
  /** Content between the fields and the buttons. */
  readonly after?: HtmlValue;
  /** URL of the live validation, which `validationRoute` answers. Default: no live validation. */
  readonly validateUrl?: string | undefined;
  /** Prefix of ids, for a second form with the same names on a page. */
  readonly idPrefix?: string | undefined;
  /** Labels of the fields and of their choices. Default: the words of their names. */
  readonly texts?: FieldTexts | undefined;
  /** Renders a field. Default: `field`. */
  readonly field?: typeof field | undefined;
}

/**
 * Renders the whole form of a schema, with a summary of its errors at the top.
 *
 * @throws E_COMPONENT_FIELD, E_COMPONENT_TYPE
 * @example
 * formOf(schema, form, { csrf, action: path, method: "put", submit: "Save", cancel: path, fields: { body: { rows: 12 } } });
 */
export function formOf<T>(schema: Schema.RecordSchema<T>, data: Form, options: FormOfOptions<T>): Html {
  const { before, after, idPrefix, message, texts, validateUrl, field: renderField = field } = options;
  const fields = options.fields as FieldsOptions | undefined;
  const names = (options.only ?? (schema.fields as readonly (keyof T & string)[])).filter(
    (name) => ownValue(fields, name) !== false,
  );
  const optionsOf = (name: string): FormFieldOptions => ownValue(fields, name) || {};
  const labelledNames = [...names, ...Object.keys(Form.errors(data))];
  const labels = Object.fromEntries(labelledNames.map((name) => [name, pathLabel(name, fields, texts)]));
  const choiceGroups = names.filter((name) => {
    const { type, choices } = optionsOf(name);
    return (type ?? controlTypeOf(describeField(schema, name), choices !== undefined)) === "checkboxes";
  });
  const controls = names.map((name) =>
    renderField(schema, data, name as FieldName<T>, { texts, idPrefix, validateUrl, ...optionsOf(name) }),
  );
  return html` ${errorSummary(data, { labels, names, choiceGroups, idPrefix, message })}
  ${form(options, [before, controls, after])}`;
}

/** Returns the label of a field for the summary, with those of the records around it: `Lines 1, Count`. */
function pathLabel(name: string, fields: FieldsOptions | undefined, texts: FieldTexts | undefined): string {
  const labels: string[] = [];
  let members = fields;
  let path = "";
  for (const part of name.split(".")) {
    path += path === "" ? part : `.${part}`;
    if (/^[0-9]+$/.test(part) && labels.length > 0) {
      labels.push(`${labels.pop()} ${Number(part) + 1}`);
      continue;
    }
    const options = ownValue(members, part) || undefined;
    labels.push(options?.label ?? labelOf(texts, path));
    members = options?.fields;
  }
  return labels.join(", ");
}

/** Options of a button in a form of its own. */
export interface ActionButtonOptions extends Pick<FormOptions, "csrf" | "action" | "method" | "version"> {
  /** Text of the button. */
  readonly text: string;
  /** Name for screen readers, if the text alone does not say what the button acts on: `Delete Heidi`. */
  readonly label?: string | undefined;
  /** Default `secondary`. */
  readonly style?: "primary" | "secondary" | "danger" | undefined;
}

/** Renders a button in a form of its own, for an action that changes something: delete, log out, archive. */
export function actionButton(options: ActionButtonOptions): Html {
  const { csrf, action, method = "post", version, text, label, style = "secondary" } = options;
  return html` <form method="post" ?action=${action}>
    ${hiddenField("csrf", csrf)} ${method !== "post" && hiddenField("_method", method)}
    ${version !== undefined && hiddenField("version", version)}
    <button class="${style}" ?aria-label=${label}>${text}</button>
  </form>`;
}

/** Renders a delete button in a form of its own. `label` is the name of the item for screen readers. */
export function deleteButton(options: Omit<ActionButtonOptions, "text" | "style" | "method">): Html {
  const texts = LanguageInternals.frameworkTexts().components;
  const label = options.label === undefined ? undefined : texts.deleteItem(options.label);
  return actionButton({ ...options, method: "delete", text: texts.delete, label, style: "danger" });
}

/** Action on all selected items. */
export interface BulkAction {
  /** Value of the field `action`. */
  readonly value: string;
  readonly label: string;
  /** Default `secondary`. */
  readonly style?: "primary" | "secondary" | "danger" | undefined;
}

/** Options of bulk actions. */
export interface BulkActionsOptions {
  /** CSRF token. */
  readonly csrf: string;
  /** URL that receives the fields `action` and `ids` by POST. */
  readonly action: string;
  readonly actions: readonly BulkAction[];
  /** Id of the form, as in the option `select` of the table. Default `bulk`. */
  readonly id?: string | undefined;
}

/**
 * Renders the form of the actions on the rows that are selected in a table with the option `select`.
 *
 * Decode it with a schema that limits the number of items: `Schema.record({ action: Schema.oneOf(["archive"]), ids:
 * Schema.list(Schema.uuid(), { min: 1, max: 100 }) })`, and check for each item that the user may change it.
 */
export function bulkActions(options: BulkActionsOptions): Html {
  const { csrf, action, actions, id = "bulk" } = options;
  const { bulkActions: title } = LanguageInternals.frameworkTexts().components;
  return html` <form id="${id}" class="row bulk" method="post" action="${action}" aria-label="${title}">
    ${hiddenField("csrf", csrf)}
    <span class="meta">${title}</span>
    ${actions.map(
      ({ value, label, style = "secondary" }) =>
        html`<button class="${style}" name="action" value="${value}">${label}</button>`,
    )}
  </form>`;
}
