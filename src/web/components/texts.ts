/** Texts of the components. Override them for another language: `field(schema, data, "title", { texts: germanTexts })`. */
export interface Texts {
  /** Follows the label of a field that may stay empty. */
  readonly optional: string;
  /** First option of a required select control without a choice. */
  readonly pleaseChoose: string;
  /** Heading of the error summary. */
  readonly problem: string;
  readonly yes: string;
  readonly no: string;
  readonly cancel: string;
  /** Submit button of the form of a new item. */
  readonly add: string;
  /** Submit button of the form of an existing item. */
  readonly save: string;
  readonly edit: string;
  /** Link to the form of a new item, and its heading. `one` is the word for an item, such as `blog post`. */
  readonly newItem: (one: string) => string;
  /** Heading of the form of an existing item, and name of the link to it for screen readers. */
  readonly editItem: (label: string) => string;
  readonly backToList: string;
  /** Text of an empty list. `many` is the word for several items, such as `blog posts`. */
  readonly noItems: (many: string) => string;
  /** Text of a list whose filters match nothing. */
  readonly noItemsFound: (many: string) => string;
  /** Link to the list without filters. */
  readonly showAll: (many: string) => string;
  /** Label of the column `created_at`. */
  readonly added: string;
  /** Label of the column `updated_at`. */
  readonly changed: string;
  /** Text of the delete button. */
  readonly delete: string;
  /** Name of the delete button of an item for screen readers. */
  readonly deleteItem: (label: string) => string;
  /** Legend of the row with this number in a list of records or of values. */
  readonly item: (number: number) => string;
  /** Heading of the column with the actions of a row. */
  readonly actions: string;
  /** Heading of the column that selects rows. */
  readonly select: string;
  /** Label of the checkbox that selects a row. */
  readonly selectItem: (label: string) => string;
  /** Label of the form with the actions on all selected rows. */
  readonly bulkActions: string;
  readonly search: string;
  readonly apply: string;
  readonly clear: string;
  /** Error of a filter. `expected` describes a valid value, such as `a whole number`. */
  readonly invalidFilter: (expected: string) => string;
  /** Choice of a filter that does not filter. */
  readonly any: string;
  /**
   * Choice of a filter for items without a value, first option of a select control that may stay empty, and what a screen
   * reader reads for a value that is shown as a dash.
   */
  readonly none: string;
  readonly from: string;
  readonly to: string;
  readonly order: string;
  readonly newestFirst: string;
  readonly oldestFirst: string;
  readonly perPage: string;
  /** Label of the navigation between pages. */
  readonly pages: string;
  readonly first: string;
  readonly previous: string;
  readonly next: string;
  readonly last: string;
  /** Range of the shown items. `total` is `undefined` if it was not counted. */
  readonly range: (first: number, last: number, total: number | undefined) => string;
}

/** Option of every component with texts of its own. */
export interface TextOptions {
  /** Texts that replace the English ones. */
  readonly texts?: Partial<Texts> | undefined;
}

/** Texts of the components in English. */
export const englishTexts: Texts = {
  optional: "(optional)",
  pleaseChoose: "Please choose",
  problem: "There is a problem",
  yes: "Yes",
  no: "No",
  cancel: "Cancel",
  add: "Add",
  save: "Save",
  edit: "Edit",
  newItem: (one) => `New ${one}`,
  editItem: (label) => `Edit ${label}`,
  backToList: "Back to the list",
  noItems: (many) => `No ${many} yet.`,
  noItemsFound: (many) => `No ${many} found.`,
  showAll: (many) => `Show all ${many}`,
  added: "Added",
  changed: "Changed",
  delete: "Delete",
  deleteItem: (label) => `Delete ${label}`,
  item: (number) => `Item ${number}`,
  actions: "Actions",
  select: "Select",
  selectItem: (label) => `Select ${label}`,
  bulkActions: "Selected items",
  search: "Search",
  apply: "Apply",
  clear: "Clear",
  invalidFilter: (expected) => `Please enter ${expected}`,
  any: "Any",
  none: "None",
  from: "from",
  to: "to",
  order: "Order",
  newestFirst: "Newest first",
  oldestFirst: "Oldest first",
  perPage: "Per page",
  pages: "Pages",
  first: "First",
  previous: "Previous",
  next: "Next",
  last: "Last",
  range: (first, last, total) => `${first} to ${last}` + (total === undefined ? "" : ` of ${total}`),
};

/** Returns the English texts with the given ones in their place. */
export function textsOf({ texts }: TextOptions): Texts {
  return texts === undefined ? englishTexts : { ...englishTexts, ...texts };
}
