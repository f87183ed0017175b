import { html, type Html } from "../../html/index.ts";
import type { ControlType } from "./field-description.ts";
import { choiceLabelOf, type FieldTexts } from "../labels.ts";

/** Choice of a select control or of a group: its value, or its value and its label. */
export type Choice = string | readonly [value: string, label: string];

/** Attributes that all controls of a field share. */
export interface ControlAttributes {
  readonly id: string;
  readonly name: string;
  readonly isRequired: boolean;
  readonly isInvalid: boolean;
  /** Ids of hint and error, separated by spaces. */
  readonly describedBy: string | undefined;
  readonly autocomplete: string | undefined;
  readonly isFocused: boolean;
  readonly isDisabled: boolean;
}

/** Attributes of an input for one text. */
export interface InputAttributes {
  readonly type: ControlType | "file";
  readonly value: string | undefined;
  readonly placeholder?: string | undefined;
  readonly inputmode?: string | undefined;
  readonly isReadOnly?: boolean | undefined;
  readonly step?: string | undefined;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly minlength?: number | undefined;
  readonly maxlength?: number | undefined;
  readonly accept?: string | undefined;
  readonly isMultiple?: boolean | undefined;
}

/** Pair of value and label. */
export type ChoicePair = readonly [value: string, label: string];

/** Returns values and labels of the choices of a field. */
export const choicePairs = (
  choices: readonly Choice[],
  texts: FieldTexts | undefined,
  name: string,
): readonly ChoicePair[] =>
  choices.map((choice) => (typeof choice === "string" ? [choice, choiceLabelOf(texts, name, choice)] : choice));

/** Renders an input of one line, or a file input. */
export function renderInput(common: ControlAttributes, input: InputAttributes): Html {
  const { id, name, isRequired, isInvalid, describedBy, autocomplete, isFocused, isDisabled } = common;
  return html`<input
    id="${id}"
    name="${name}"
    type="${input.type}"
    ?value=${input.value}
    ?placeholder=${input.placeholder}
    ?inputmode=${input.inputmode}
    ?min=${input.min}
    ?max=${input.max}
    ?step=${input.step}
    ?minlength=${input.minlength}
    ?maxlength=${input.maxlength}
    ?accept=${input.accept}
    ?multiple=${input.isMultiple}
    ?readonly=${input.isReadOnly}
    ?disabled=${isDisabled}
    ?required=${isRequired}
    ?autocomplete=${autocomplete}
    ?autofocus=${isFocused}
    ?aria-invalid=${isInvalid}
    ?aria-describedby=${describedBy}
  />`;
}

/** Renders an input of several lines. */
export function renderTextarea(common: ControlAttributes, input: InputAttributes, rows: number | undefined): Html {
  const { id, name, isRequired, isInvalid, describedBy, autocomplete, isFocused, isDisabled } = common;
  return html`<textarea
    id="${id}"
    name="${name}"
    ?rows=${rows}
    ?placeholder=${input.placeholder}
    ?minlength=${input.minlength}
    ?maxlength=${input.maxlength}
    ?readonly=${input.isReadOnly}
    ?disabled=${isDisabled}
    ?required=${isRequired}
    ?autocomplete=${autocomplete}
    ?autofocus=${isFocused}
    ?aria-invalid=${isInvalid}
    ?aria-describedby=${describedBy}
  >
${input.value}</textarea>`;
}

/** Renders a select control. `emptyLabel` is the label of the option without a value, `undefined` for none. */
export function renderSelect(
  common: ControlAttributes,
  pairs: readonly ChoicePair[],
  value: string | undefined,
  emptyLabel: string | undefined,
): Html {
  const { id, name, isRequired, isInvalid, describedBy, autocomplete, isFocused, isDisabled } = common;
  const hasEmptyChoice = pairs.some(([choice]) => choice === "");
  return html`<select
    id="${id}"
    name="${name}"
    ?disabled=${isDisabled}
    ?required=${isRequired}
    ?autocomplete=${autocomplete}
    ?autofocus=${isFocused}
    ?aria-invalid=${isInvalid}
    ?aria-describedby=${describedBy}
  >
    ${!hasEmptyChoice && emptyLabel !== undefined && html`<option value="">${emptyLabel}</option>`}
    ${pairs.map(([choice, label]) => html`<option value="${choice}" ?selected=${choice === value}>${label}</option>`)}
  </select>`;
}

/** Renders a checkbox or a radio button with its label. */
export function renderCheck(
  common: ControlAttributes,
  type: "checkbox" | "radio",
  label: string,
  value: string,
  isChecked: boolean,
): Html {
  const { id, name, isRequired, isInvalid, describedBy, isFocused, isDisabled } = common;
  return html`<div class="check">
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${value}"
      ?checked=${isChecked}
      ?disabled=${isDisabled}
      ?required=${isRequired}
      ?autofocus=${isFocused}
      ?aria-invalid=${isInvalid}
      ?aria-describedby=${describedBy}
    />
    <label for="${id}">${label}</label>
  </div>`;
}
