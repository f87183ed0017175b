import { html, type Html } from "../../html/index.ts";
import { Form } from "../../schema/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { labelOf } from "../labels.ts";
import { idOf, ownValue } from "../names.ts";

/** Options of an error summary. */
export interface ErrorSummaryOptions {
  /** Labels of the fields by name. Default: the words of their names. */
  readonly labels?: Readonly<Record<string, string | undefined>> | undefined;
  /** Names of the fields that the form shows; the errors of others have no link. Default: all fields. */
  readonly names?: readonly string[] | undefined;
  /** Names of the lists that are groups of checkboxes: the errors of their items, `tags.0`, link to the group. */
  readonly choiceGroups?: readonly string[] | undefined;
  /** Prefix of ids, as given to the fields. */
  readonly idPrefix?: string | undefined;
  /** Message about the form as a whole. */
  readonly message?: string | undefined;
}

/**
 * Renders a summary of a form's errors; nothing for a form without errors. Each message links to its field. The summary
 * has the focus when the page opens, so that a screen reader announces it and the next field is one key away.
 */
export function errorSummary(data: Form, options: ErrorSummaryOptions = {}): Html | undefined {
  const { labels = {}, names, choiceGroups = [], idPrefix, message } = options;
  const problems = Object.entries(Form.errors(data));
  if (problems.length === 0 && message === undefined) return undefined;
  const { problem: heading, labelled } = LanguageInternals.frameworkTexts().components;
  return html` <div class="error-summary" role="alert" tabindex="-1" autofocus>
    <h2>${heading}</h2>
    ${message !== undefined && html`<p>${message}</p>`}
    ${
      problems.length > 0 &&
      html`<ul>
        ${problems.map(([name, text]) => {
          const target = choiceGroups.find((group) => name.startsWith(`${group}.`)) ?? name;
          // A field that the form does not show, such as one that only the service knows, has no label and no control.
          const isShown = names === undefined || names.includes(target.split(".", 1)[0] ?? "");
          if (!isShown) return html`<li>${text}</li>`;
          const label = ownValue(labels, target) ?? labelOf(undefined, target);
          return html`<li><a href="#${idOf(target, idPrefix)}">${labelled(label, text)}</a></li>`;
        })}
      </ul>`
    }
  </div>`;
}
