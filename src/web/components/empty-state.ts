import { html, type Html, type HtmlValue } from "../../html/index.ts";

/** Options of an empty state. */
export interface EmptyStateOptions {
  /** Statement that items are missing: `No books yet`. */
  readonly title: string;
  /** Advice, such as to remove a filter. */
  readonly text?: HtmlValue;
  /** Link or button that adds the first item, or removes the filter. */
  readonly action?: HtmlValue;
}

/** Renders the place of a list without items. */
export function emptyState({ title, text, action }: EmptyStateOptions): Html {
  const has = (value: HtmlValue): boolean => value !== undefined && value !== null && value !== false;
  return html` <div class="empty">
    <p class="empty-title">${title}</p>
    ${has(text) && html`<p>${text}</p>`} ${has(action) && html`<p>${action}</p>`}
  </div>`;
}
