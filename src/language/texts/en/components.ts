/** Texts of the components and of the pages of a resource, in one language. */
export interface ComponentTexts {
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
  /** Link to the form of a new item, and its heading. `one` is the word for an item inside a sentence: `blog post`. */
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
  /** Label with what belongs to it, such as an error or an end of a range. */
  readonly labelled: (label: string, text: string) => string;
  /** Label of the navigation between languages. */
  readonly language: string;
  /** Label of the navigation of the site. */
  readonly mainNavigation: string;
  /** Notices of a resource. Their first letter becomes a capital one. */
  readonly created: (one: string) => string;
  readonly updated: (one: string) => string;
  readonly deleted: (one: string) => string;
  /** Alert above a form with errors. */
  readonly invalid: string;
  /** The version of a change is no version. */
  readonly version: string;
  /** Property of a JSON body that is no field. `similar` is the field that may be meant. */
  /** Field that the user may not change. */
  readonly notWritable: string;
  readonly unknownProperty: (similar: string | undefined) => string;
  readonly conflict: ConflictTexts;
}

/** Texts of the page of an item that two people have changed. */
export interface ConflictTexts {
  /** Its first letter becomes a capital one. */
  readonly title: (one: string) => string;
  readonly otherVersion: string;
  readonly notDeleted: string;
  readonly notSaved: string;
  readonly same: string;
  readonly choose: string;
  /** Fields whose input must be entered again. */
  readonly enterAgain: (labels: string) => string;
  readonly saveChosen: string;
  readonly keepStored: string;
  readonly yourVersion: string;
  readonly storedVersion: string;
  readonly deleteAnyway: string;
  readonly keep: string;
  /** Field without a value. */
  readonly empty: string;
}

/** Texts of the components in English. */
export const componentTexts: ComponentTexts = {
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
  labelled: (label, text) => `${label}: ${text}`,
  language: "Language",
  mainNavigation: "Main",
  created: (one) => `${one} added`,
  updated: (one) => `${one} saved`,
  deleted: (one) => `${one} deleted`,
  invalid: "Please check the marked fields",
  version: "Please enter the version of the item",
  notWritable: "You may not change this",
  unknownProperty: (similar) => `Unknown property${similar === undefined ? "" : `. Did you mean "${similar}"?`}`,
  conflict: {
    title: (one) => `${one} has changed`,
    otherVersion: "Someone else has saved another version in the meantime.",
    notDeleted: "Nothing was deleted yet.",
    notSaved: "Your version is not saved yet.",
    same: "Your version and the stored one are the same.",
    choose: "Choose for each field which value to keep. Fields that are the same are not shown.",
    enterAgain: (labels) => `What you entered here was not kept, and must be entered again: ${labels}.`,
    saveChosen: "Save the chosen values",
    keepStored: "Keep the stored version",
    yourVersion: "Your version",
    storedVersion: "Stored version",
    deleteAnyway: "Delete it all the same",
    keep: "Keep it",
    empty: "(empty)",
  },
};
