import { html, type Html } from "../../html/index.ts";
import type { Form, FormField, Schema } from "../../schema/index.ts";
import type { Request } from "../../http/message/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { choiceLabelOf, type FieldTexts, labelOf, labelPath } from "../labels.ts";
import { nonce } from "../middleware/security-headers.ts";
import { pageStyle, renderPage } from "../page/index.ts";
import type { Conflict, ConflictField, ResourceView } from "./contract.ts";
import { ownValue } from "../names.ts";
import { choicePrefix, fieldOf, fieldsOf } from "./input.ts";
import { type OptionalTexts, sentence } from "./messages.ts";
import type { StaleInput } from "./operations.ts";

/** Parts of a conflict. */
export interface ConflictParts<T, Input> extends Pick<Conflict<T>, "action" | "item" | "version"> {
  readonly schema: Schema.RecordSchema<Input>;
  /** Fields that the person may not write. */
  readonly keptFields: readonly string[];
  /** Input of the person; `undefined` for a deletion. */
  readonly sent: StaleInput<Input> | undefined;
}

/** Compares what a person sent with the stored item, field by field. */
export function conflictOf<T extends object, Input>(parts: ConflictParts<T, Input>): Conflict<T> {
  const { schema, action, item, version, sent, keptFields } = parts;
  const common = { action, item, version };
  if (sent === undefined) return { ...common, kind: "delete", fields: [], sensitiveFields: [] };
  // The form of a valid value has the same spelling as the stored one: "7" for "007", "false" for a box without a check.
  const sentForm = sent.value === undefined ? sent.form : schema.fill(sent.value);
  const storedForm = schema.fill(fieldsOf(item, schema));
  const isSensitive = (name: string): boolean => schema.field(name)?.isSensitive === true;
  const fields = schema.fields
    .filter((name) => !isSensitive(name) && !keptFields.includes(name))
    .map((name) => ({ name, inputs: inputsOf(sentForm, name), stored: inputsOf(storedForm, name) }))
    .filter(({ inputs, stored }) => !isEqual(inputs, stored));
  const sensitiveFields = schema.fields.filter((name) => isSensitive(name) && !keptFields.includes(name));
  return { ...common, kind: "update", fields, sensitiveFields };
}

type Inputs = ConflictField["inputs"];

/** Returns the inputs of a field; of a list or a record, also the empty one that clears it. */
function inputsOf(form: Form, name: string): Inputs {
  return form
    .filter((field) => fieldOf(field) === name)
    .map(([fullName, input]: FormField) => [fullName, (input ?? "").replaceAll("\r\n", "\n")] as const);
}

const isEqual = (a: Inputs, b: Inputs): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Options of the built-in page. */
export interface ConflictPageOptions<Input> {
  /** Name of the resource. */
  readonly name: string;
  readonly texts: OptionalTexts;
  readonly schema: Schema.RecordSchema<Input>;
  /** Layout of the page. Default: one with an inline style, which needs no other file. */
  readonly layout: Layout | undefined;
}

type Layout = NonNullable<ResourceView<unknown, object, { readonly id: string }>["layout"]>;

// template/public/app.css has the same classes.
const conflictStyle = pageStyle(`
fieldset{min-width:0}.card{padding:1.25rem}.card h2{margin-top:0}
.choices{padding-block:.4rem}.choices legend{margin-left:-.35rem;padding:0 .35rem;font-weight:600}
.choice{display:grid;grid-template-columns:auto 1fr;gap:.25rem .75rem;align-items:start;margin:0;padding:.6rem 0;font-weight:400;cursor:pointer}
.choice+.choice{border-top:1px solid var(--border)}
.choice input:not([type=hidden]){width:1.25rem;height:1.25rem;min-height:0;margin:.15rem 0 0}
.choice .value{grid-column:2;font-size:1rem;white-space:pre-wrap}
.facts{display:block;margin:0;padding:0}.facts div{display:grid;grid-template-columns:10rem 1fr;gap:1rem;padding:.5rem 0;border-top:1px solid var(--border)}
.facts dt,.facts dd{padding:0;border:0}.facts dd{white-space:pre-wrap}
@media(max-width:40rem){.facts div{grid-template-columns:1fr;gap:0}}`);

const defaultLayout: Layout = (request, title, content) =>
  renderPage({ title, content, style: conflictStyle, nonce: nonce(request) });

/** Returns the built-in page of a conflict. It needs no script. */
export async function conflictPage<T, Input>(
  request: Request<{ readonly id: string }>,
  csrf: string,
  conflict: Conflict<T>,
  { name, texts, schema, layout = defaultLayout }: ConflictPageOptions<Input>,
): Promise<Html> {
  const { kind } = conflict;
  const words = LanguageInternals.frameworkTexts().components.conflict;
  const title = sentence(words.title, name, texts);
  const content = html`<h1>${title}</h1>
    <p class="message alert" role="alert">
      ${words.otherVersion} ${kind === "delete" ? words.notDeleted : words.notSaved}
    </p>
    ${kind === "delete" ? deletion(csrf, conflict, schema, texts) : choices(csrf, conflict, schema, texts)}`;
  return layout(request, title, content);
}

function choices<T, Input>(
  csrf: string,
  conflict: Conflict<T>,
  schema: Schema.RecordSchema<Input>,
  texts: FieldTexts | undefined,
): Html {
  const words = LanguageInternals.frameworkTexts().components.conflict;
  const { action, version, fields, sensitiveFields } = conflict;
  const sensitiveNote =
    sensitiveFields.length > 0 &&
    html`<p>${words.enterAgain(sensitiveFields.map((name) => labelOf(texts, name)).join(", "))}</p>`;
  return html`<p>${fields.length === 0 ? words.same : words.choose}</p>
    ${sensitiveNote}
    <form method="post" action="${action}">
      ${hiddenInputs(csrf, "patch", version)} ${fields.map((field) => choice(field, schema, texts))}
      <div class="row">
        ${fields.length > 0 && html`<button>${words.saveChosen}</button>`}
        <a class="button secondary" href="${action}">${words.keepStored}</a>
      </div>
    </form>`;
}

const hiddenInputs = (csrf: string, method: "patch" | "delete", version: number): Html =>
  html`<input type="hidden" name="_method" value="${method}" />
    <input type="hidden" name="csrf" value="${csrf}" />
    <input type="hidden" name="version" value="${version}" />`;

function choice<Input>(
  { name, inputs, stored }: ConflictField,
  schema: Schema.RecordSchema<Input>,
  texts: FieldTexts | undefined,
): Html {
  const { yourVersion, storedVersion } = LanguageInternals.frameworkTexts().components.conflict;
  const radio = (value: "sent" | "stored", whose: string, shown: Inputs): Html =>
    html`<label class="choice">
      <input type="radio" name="${choicePrefix}${name}" value="${value}" required />
      <span class="meta">${whose}</span>
      <span class="value">${describe(shown, name, schema, texts)}</span>
    </label>`;
  return html`<fieldset class="card choices">
    <legend>${labelOf(texts, name)}</legend>
    ${inputs.map(([fullName, input]) => html`<input type="hidden" name="${fullName}" value="${input}" />`)}
    ${radio("sent", yourVersion, inputs)} ${radio("stored", storedVersion, stored)}
  </fieldset>`;
}

function deletion<T, Input>(
  csrf: string,
  conflict: Conflict<T>,
  schema: Schema.RecordSchema<Input>,
  texts: FieldTexts | undefined,
): Html {
  const words = LanguageInternals.frameworkTexts().components.conflict;
  const { action, item, version } = conflict;
  const form = schema.fill(fieldsOf(item as object, schema));
  // The item lacks the fields that the person may not read.
  const shownFields = schema.fields.filter(
    (name) => schema.field(name)?.isSensitive !== true && Object.hasOwn(item as object, name),
  );
  return html`<section class="card">
      <h2>${words.storedVersion}</h2>
      <dl class="facts">
        ${shownFields.map(
          (name) =>
            html`<div>
              <dt>${labelOf(texts, name)}</dt>
              <dd>${describe(inputsOf(form, name), name, schema, texts)}</dd>
            </div>`,
        )}
      </dl>
    </section>
    <form method="post" action="${action}">
      ${hiddenInputs(csrf, "delete", version)}
      <div class="row">
        <button class="danger">${words.deleteAnyway}</button>
        <a class="button secondary" href="${action}">${words.keep}</a>
      </div>
    </form>`;
}

/** Describes the inputs of a field: yes or no, the text, or the parts of a list or a record in lines. */
function describe<Input>(
  inputs: Inputs,
  name: string,
  schema: Schema.RecordSchema<Input>,
  texts: FieldTexts | undefined,
): string {
  const { yes, no, conflict, labelled } = LanguageInternals.frameworkTexts().components;
  const kind = schema.field(name)?.["kind"];
  const lines = inputs.flatMap(([fullName, input]) => {
    if (input === "") return [];
    const isChoice = kind === "oneOf" || ownValue(texts?.choices, labelPath(fullName)) !== undefined;
    const text = isChoice ? choiceLabelOf(texts, fullName, input) : input;
    const part = fullName === name ? "" : partLabel(fullName, name, texts);
    return [part === "" ? text : labelled(part, text)];
  });
  if (kind === "bool") return ["true", "on", "1"].includes(lines[0] ?? "") ? yes : no;
  return lines.length === 0 ? conflict.empty : lines.join("\n");
}

/** Returns the label of a part of a list or a record: the number of its row, and the label or the names of its field. */
function partLabel(fullName: string, name: string, texts: FieldTexts | undefined): string {
  const names = fullName.slice(name.length + 1).split(".");
  const row = /^\d+$/.test(names[0] ?? "") ? String(Number(names.shift()) + 1) : "";
  if (names.length === 0) return row;
  return `${row} ${ownValue(texts?.fields, labelPath(fullName)) ?? names.join(" ")}`.trimStart();
}
