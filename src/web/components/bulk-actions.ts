import { html, type Html } from "../../html/index.ts";
import { hiddenField } from "./field.ts";
import { type TextOptions, textsOf } from "./texts.ts";

/** Action on all selected items. */
export interface BulkAction {
  /** Value of the field `action`. */
  readonly value: string;
  readonly label: string;
  /** Default `secondary`. */
  readonly style?: "primary" | "secondary" | "danger" | undefined;
}

/** Options of bulk actions. */
export interface BulkActionsOptions extends TextOptions {
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
  return html` <form
    id="${id}"
    class="row bulk"
    method="post"
    action="${action}"
    aria-label="${textsOf(options).bulkActions}"
  >
    ${hiddenField("csrf", csrf)}
    <span class="meta">${textsOf(options).bulkActions}</span>
    ${actions.map(
      ({ value, label, style = "secondary" }) =>
        html`<button class="${style}" name="action" value="${value}">${label}</button>`,
    )}
  </form>`;
}
