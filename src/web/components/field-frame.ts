import { html, type Html, type HtmlValue } from "../../html/index.ts";
import { Form } from "../../schema/index.ts";
import type { Choice, ControlAttributes } from "./control.ts";
import type { ControlType } from "./field-description.ts";
import { LanguageInternals } from "../../language/index.ts";
import { type FieldTexts, labelOf } from "../labels.ts";
import { idOf } from "../names.ts";

/** Options of a field. The schema determines what is not given. */
export interface FormFieldOptions {
  /** Default: that of `texts`, otherwise the words of the name, `published_on` → `Published on`. */
  readonly label?: string | undefined;
  /** Help above the control. */
  readonly hint?: HtmlValue;
  /** Control. Default: the one that suits the schema's field. A password is never shown again. */
  readonly type?: ControlType | undefined;
  /** Choices of a select control or of a group, with labels. Default: those of the schema. */
  readonly choices?: readonly Choice[] | undefined;
  /** Autofill type for browsers and password managers (HTML §4.10.18.7): `username`, `current-password`, `off` … */
  readonly autocomplete?: string | undefined;
  /** Default: true if the schema refuses an empty input. */
  readonly isRequired?: boolean | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly isReadOnly?: boolean | undefined;
  /** True if the field has the focus when the page opens. At most one field of a page. Default false. */
  readonly autofocus?: boolean | undefined;
  readonly placeholder?: string | undefined;
  readonly inputmode?: string | undefined;
  /** Step of a number, or of a time in seconds. */
  readonly step?: string | undefined;
  /** Number of lines of a text area. */
  readonly rows?: number | undefined;
  /** Options of the fields of a list or a nested record, by their name in it. */
  readonly fields?: Readonly<Record<string, FormFieldOptions>> | undefined;
  /** Prefix of ids, for a second form with the same names on a page. */
  readonly idPrefix?: string | undefined;
  /** URL of the live validation, which `validationRoute` answers. Default: no live validation. */
  readonly validateUrl?: string | undefined;
  /** Labels of the field, of its parts and of its choices. Default: the words of their names. */
  readonly texts?: FieldTexts | undefined;
}

/** Options of fields by name; `false` leaves a field out. */
export type FieldsOptions = Readonly<Record<string, FormFieldOptions | false | undefined>>;

/** Label, hint and error of a field, and the attributes that link its control to them. */
export interface FieldFrame {
  readonly name: string;
  readonly label: string;
  readonly control: ControlAttributes;
  /** Follows the label; `undefined` for a required field. */
  readonly optionalMark: Html | undefined;
  /** Hint and error. */
  readonly messages: Html;
  readonly className: string;
  /** URL of the live validation of this field; `undefined` without it. */
  readonly liveUrl: string | undefined;
}

/** Makes the frame of a field. The error is by default that of the form's entry with this name. */
export function fieldFrame(
  data: Form,
  name: string,
  isRequired: boolean,
  options: FormFieldOptions,
  error: string | undefined = Form.find(data, name)[1],
): FieldFrame {
  const { label = labelOf(options.texts, name), hint, validateUrl } = options;
  const id = idOf(name, options.idPrefix);
  const hasHint = hint !== undefined && hint !== false && hint !== null && hint !== "";
  const describedBy = [...(hasHint ? [`${id}-hint`] : []), ...(error === undefined ? [] : [`${id}-error`])].join(" ");
  // A screen reader announces a change of a live region only if the region was on the page before.
  const isLive = validateUrl !== undefined;
  const errorText =
    (isLive || error !== undefined) &&
    html`<p class="error" id="${id}-error" ?aria-live=${isLive && "polite"}>${error}</p>`;
  return {
    name,
    label,
    control: {
      id,
      name,
      isRequired,
      isInvalid: error !== undefined,
      describedBy: describedBy === "" ? undefined : describedBy,
      autocomplete: options.autocomplete,
      isFocused: options.autofocus ?? false,
      isDisabled: options.isDisabled ?? false,
    },
    optionalMark: isRequired
      ? undefined
      : html` <span class="optional">${LanguageInternals.frameworkTexts().components.optional}</span>`,
    messages: html`${hasHint && html`<p class="hint" id="${id}-hint">${hint}</p>`}${errorText}`,
    className: error === undefined ? "field" : "field is-invalid",
    liveUrl: isLive ? `${validateUrl}/${encodeURIComponent(name)}` : undefined,
  };
}

/** Renders a field with one control: label, hint, error, control. The error is above the control, where no keyboard hides it. */
export function labelledField(frame: FieldFrame, control: Html): Html {
  return frameElement(
    frame,
    html` <label for="${frame.control.id}">${frame.label}${frame.optionalMark}</label>
      ${frame.messages} ${control}`,
  );
}

/** Renders a field whose control has its label after it: a checkbox. */
export function checkboxField(frame: FieldFrame, control: Html): Html {
  return frameElement(frame, html` ${control} ${frame.messages}`);
}

// HTMX sends the whole form when a control of the field changes, and morphs the field, so that typed text and focus stay.
// The explicit encoding keeps it from sending files.
function frameElement({ className, liveUrl }: FieldFrame, content: Html): Html {
  return html` <div
    class="${className}"
    ?hx-put=${liveUrl}
    ?hx-trigger=${liveUrl && "change"}
    ?hx-target=${liveUrl && "this"}
    ?hx-swap=${liveUrl && "outerMorph"}
    ?hx-encoding=${liveUrl && "application/x-www-form-urlencoded"}
  >
    ${content}
  </div>`;
}

/** Renders a field with several controls: a group with a legend. `id` is that of the group, for the error summary. */
export function groupField(frame: FieldFrame, isRadioGroup: boolean, controls: readonly Html[], id?: string): Html {
  const { className, label, optionalMark, messages, control, liveUrl } = frame;
  return html` <fieldset
    ?id=${id}
    ?tabindex=${id && "-1"}
    class="${className}"
    ?role=${isRadioGroup && "radiogroup"}
    ?aria-required=${isRadioGroup && control.isRequired}
    ?aria-invalid=${isRadioGroup && control.isInvalid}
    ?aria-describedby=${control.describedBy}
    ?hx-put=${liveUrl}
    ?hx-trigger=${liveUrl && "change"}
    ?hx-target=${liveUrl && "this"}
    ?hx-swap=${liveUrl && "outerMorph"}
    ?hx-encoding=${liveUrl && "application/x-www-form-urlencoded"}
  >
    <legend>${label}${optionalMark}</legend>
    ${messages} ${controls}
  </fieldset>`;
}
