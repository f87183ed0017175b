export { type BulkAction, bulkActions, type BulkActionsOptions } from "./bulk-actions.ts";
export type { Choice } from "./control.ts";
export type { ControlType } from "./control-type.ts";
export { csv, type CsvColumn, type CsvOptions } from "./csv.ts";
export type { CsvValue } from "./csv-cell.ts";
export { emptyState, type EmptyStateOptions } from "./empty-state.ts";
export { errorSummary, type ErrorSummaryOptions } from "./error-summary.ts";
export { field, fileField, type FileFieldOptions, hiddenField } from "./field.ts";
export { type FilterOptions, filters, type FiltersOptions } from "./filters.ts";
export type { FormFieldOptions } from "./field-frame.ts";
export {
  actionButton,
  type ActionButtonOptions,
  deleteButton,
  form,
  type FormFields,
  formOf,
  type FormOfOptions,
  type FormOptions,
} from "./form.ts";
export { type ValidationOptions, validationRoute } from "./live-validation.ts";
export { type FieldName, humanize } from "../names.ts";
export {
  choicesOf,
  editPage,
  type EditPageOptions,
  itemPage,
  type ItemPageOptions,
  listPage,
  type ListPageOptions,
  newPage,
  type NewPageOptions,
  type PageComponents,
  type PageItem,
  type ResourcePages,
} from "./pages.ts";
export { pager, type PagerOptions } from "./pager.ts";
export {
  type CellValue,
  type Column,
  type ColumnDefinition,
  table,
  type TableOptions,
  type TableSelection,
  type TableSort,
} from "./table.ts";
export { sortLinks, type SortLinksOptions } from "./sort-links.ts";
export { englishTexts, type TextOptions, type Texts } from "./texts.ts";
export { timestamp } from "./values.ts";
