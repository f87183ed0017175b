import { html, type Html } from "../../html/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { Form, type Schema } from "../../schema/index.ts";
import { type ChoicePair, choicePairs, renderCheck, renderInput, renderSelect, renderTextarea } from "./control.ts";
import {
  choicesOf,
  constraintsOf,
  type ControlType,
  controlTypeOf,
  describeField,
  type FieldDescription,
} from "./field-description.ts";
import { errors } from "../errors.ts";
import {
  checkboxField,
  fieldFrame,
  type FieldFrame,
  type FormFieldOptions,
  groupField,
  labelledField,
} from "./field-frame.ts";
import { type FieldName, ownValue } from "../names.ts";

/**
 * Renders a field of a form: its label, hint, error and control, linked for assistive technology. Control, constraints and
 * the mark of optional fields come from the schema. A nested record and each row of a list, the last empty, are groups.
 *
 * @throws E_COMPONENT_FIELD for an unknown name, E_COMPONENT_TYPE for a select control or a group without choices
 * @example
 * field(schema, form, "email", { label: "E-mail address", type: "email", autocomplete: "username" });
 */
export function field<T>(
  schema: Schema.RecordSchema<T>,
  data: Form,
  name: NoInfer<FieldName<T>>,
  options: FormFieldOptions = {},
): Html {
  const description = describeField(schema, name);
  const type = options.type ?? controlTypeOf(description, options.choices !== undefined);
  if (type === undefined) return renderMembers(schema, data, name, description, options);
  return renderField(data, name, type, description, options);
}

/** Options of a file input. */
export interface FileFieldOptions extends Omit<FormFieldOptions, "type" | "choices" | "fields" | "validateUrl"> {
  /** Types that the browser offers: `image/*`, `.pdf`. The server must check them again. */
  readonly accept?: string | undefined;
  readonly isMultiple?: boolean | undefined;
}

/** Renders a file input, for a form with `isMultipart`. Files are no part of a schema. */
export function fileField(data: Form, name: string, options: FileFieldOptions = {}): Html {
  const { accept, isMultiple, isRequired = false } = options;
  const frame = fieldFrame(data, name, isRequired, options);
  return labelledField(frame, renderInput(frame.control, { type: "file", value: undefined, accept, isMultiple }));
}

/** Renders a hidden field. */
export function hiddenField(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`;
}

function renderField(
  data: Form,
  name: string,
  type: ControlType,
  description: FieldDescription,
  options: FormFieldOptions,
): Html {
  const [value] = Form.find(data, name);
  // The schema accepts an unchecked box. With `isRequired` the browser asks for a checked one.
  const isBox = type === "checkbox" || type === "checkboxes";
  const isRequired = options.isRequired ?? (description.isRequired && !isBox);
  // A choice with a default always has a value.
  const isFilled = (type === "select" || type === "radio") && description.schema["default"] !== undefined;
  const frame = fieldFrame(data, name, isRequired || isBox || isFilled, options, errorOf(data, name, type));
  const control = { ...frame.control, isRequired };
  const constraints = constraintsOf(description, type);
  const input = {
    ...constraints,
    type,
    // A browser keeps the page, and with it a password, in its history.
    value: type === "password" || description.isSensitive ? undefined : (value ?? ""),
    step: options.step ?? constraints.step,
    inputmode: options.inputmode ?? constraints.inputmode,
    placeholder: options.placeholder,
    isReadOnly: options.isReadOnly,
  };
  switch (type) {
    case "hidden":
      return hiddenField(name, input.value ?? "");
    case "checkbox":
      return checkboxField(frame, renderCheck(control, type, frame.label, "true", Form.isChecked(data, name)));
    case "textarea":
      return labelledField(frame, renderTextarea(control, input, options.rows));
    case "select": {
      const { pleaseChoose, none } = LanguageInternals.frameworkTexts().components;
      const choices = requireChoices(name, type, description, options);
      const isChosen = isFilled && choices.some(([choice]) => choice === value);
      const emptyLabel = isChosen ? undefined : isRequired || isFilled ? pleaseChoose : none;
      return labelledField(frame, renderSelect(control, choices, value, emptyLabel));
    }
    case "radio":
    case "checkboxes": {
      const choices = requireChoices(name, type, description, options);
      return renderChoices({ ...frame, control }, type, choices, (choice) =>
        type === "radio" ? choice === value : Form.isChecked(data, name, choice),
      );
    }
    default:
      return labelledField(frame, renderInput(control, input));
  }
}

/** Returns the error of a field; for a list of choices, that of the list or else of its first wrong item. */
function errorOf(data: Form, name: string, type: ControlType): string | undefined {
  const names = type === "checkboxes" ? [name, ...Form.items(data, name)] : [name];
  return names.map((part) => Form.find(data, part)[1]).find((message) => message !== undefined);
}

function requireChoices(
  name: string,
  type: ControlType,
  description: FieldDescription,
  options: FormFieldOptions,
): readonly ChoicePair[] {
  const choices = options.choices ?? choicesOf(description);
  if (choices === undefined) throw errors.E_COMPONENT_TYPE(name, type);
  return choicePairs(choices, options.texts, name);
}

/** Renders a group of radio buttons or checkboxes. The first one has the id of the field: the error summary links to it. */
export function renderChoices(
  frame: FieldFrame,
  type: "radio" | "checkboxes",
  choices: readonly ChoicePair[],
  isChecked: (choice: string) => boolean,
): Html {
  const isRadio = type === "radio";
  const { id, isFocused, isInvalid } = frame.control;
  const controls = choices.map(([choice, label], index) => {
    const control = {
      ...frame.control,
      id: index === 0 ? id : `${id}-${index + 1}`,
      isFocused: isFocused && index === 0,
      // A group of radio buttons has the state of the field itself.
      isInvalid: isInvalid && !isRadio,
      describedBy: undefined,
    };
    return renderCheck(control, isRadio ? "radio" : "checkbox", label, choice, isChecked(choice));
  });
  return groupField(frame, isRadio, controls);
}

function renderMembers<T>(
  schema: Schema.RecordSchema<T>,
  data: Form,
  name: string,
  { schema: jsonSchema }: FieldDescription,
  options: FormFieldOptions,
): Html {
  const { fields = {}, validateUrl: _, ...others } = options;
  const { idPrefix, texts, isDisabled } = options;
  // Nothing in the empty row of a list is required.
  const isOptional = options.isRequired === false ? { isRequired: false } : {};
  const inherited = { idPrefix, texts, isDisabled, ...isOptional };
  // The names are members of the schema, or rows of its lists.
  const member = (path: string, memberOptions: FormFieldOptions): Html =>
    field(schema, data, path as FieldName<T>, { ...inherited, ...memberOptions });
  const { properties } = jsonSchema as { readonly properties?: Readonly<Record<string, unknown>> };
  const group = fieldFrame(data, name, true, others);
  if (properties !== undefined) {
    const members = Object.keys(properties).map((key) => member(`${name}.${key}`, ownValue(fields, key) ?? {}));
    return groupField(group, false, members, group.control.id);
  }
  const { item } = LanguageInternals.frameworkTexts().components;
  const rows = Form.items(data, name);
  const members = [...rows, `${name}.${rows.length}`].map((row, index) =>
    member(row, { label: item(index + 1), isRequired: index < rows.length, fields }),
  );
  return groupField(group, false, members, group.control.id);
}
