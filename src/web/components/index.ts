export {
  actionButton,
  type ActionButtonOptions,
  type BulkAction,
  bulkActions,
  type BulkActionsOptions,
  deleteButton,
  form,
  type FormFields,
  formOf,
  type FormOfOptions,
  type FormOptions,
} from "./form.ts";
export type { Choice } from "./control.ts";
export type { ControlType } from "./field-description.ts";
export { csv, type CsvColumn, type CsvOptions, type CsvValue } from "./csv.ts";
export { emptyState, type EmptyStateOptions } from "./empty-state.ts";
export { errorSummary, type ErrorSummaryOptions } from "./error-summary.ts";
export { field, fileField, type FileFieldOptions, hiddenField } from "./field.ts";
export { type FilterOptions, filters, type FiltersOptions } from "./filters.ts";
export type { FormFieldOptions } from "./field-frame.ts";
export type { FieldTexts } from "../labels.ts";
export { type ValidationOptions, validationRoute } from "./live-validation.ts";
export { type FieldName, humanize } from "../names.ts";
export { alternateLinks, languageMenu, type LanguageMenuOptions } from "./language-menu.ts";
export { navigation, type NavigationOptions } from "./navigation.ts";
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
  sortLinks,
  type SortLinksOptions,
  table,
  type TableOptions,
  type TableSelection,
  type TableSort,
} from "./table.ts";
export { timestamp } from "./values.ts";
