import { type ColumnType, errors, type Fragment, mismatch, sql, type SqlPart } from "../../database/index.ts";
import { columnFragment, comparable, decimalSize } from "./sort-order.ts";

/** One value of a filter. `null` selects the rows without a value. */
export type FilterScalar = string | number | bigint | boolean | Date | null;

/** Range of a filter. Both ends belong to it, and either can be absent. */
export interface FilterRange {
  readonly from?: string | number | bigint | Date | undefined;
  readonly to?: string | number | bigint | Date | undefined;
}

/** Value of a filter: equal to one value, equal to any of a list, or within a range. */
export type FilterValue = FilterScalar | readonly FilterScalar[] | FilterRange;

/** Values of the filters of a search, by the names of the filters. `undefined` disables a filter. */
export type FilterValues = Readonly<Record<string, FilterValue | undefined>>;

/** Filter whose name is not its column, or whose condition is not a comparison. */
export interface CustomFilter {
  readonly type: ColumnType<unknown>;
  /** Column that the filter compares. Default: the name of the filter. */
  readonly column?: string;
  /**
   * Creates the condition for one value, instead of a comparison; for several values, any of their conditions must
   * hold. Ranges are refused. The function receives a value of the type.
   *
   * @example
   * const filterBy = {
   *   label: { type: Row.uuid, condition: (id: string) => sql`id in (select issue_id from labels where label_id = ${id})` },
   * };
   */
  readonly condition?: (value: never) => SqlPart;
}

/** Filters that a search allows, by name: the type of the column with this name, or a custom filter. */
export type FilterTypes = Readonly<Record<string, ColumnType<unknown> | CustomFilter>>;

/** Conditions of filters, and their values as they were read, for the binding of a cursor. */
export interface FilterConditions {
  readonly conditions: readonly SqlPart[];
  readonly values: readonly (readonly [name: string, value: unknown])[];
}

const maxFilterValues = 1000;
const maxFilterTextLength = 1024;

const noConditions: FilterConditions = { conditions: [], values: [] };

/**
 * Returns the conditions of the filters that have a value. Throws E_SEARCH for an unknown filter, and for a value that is
 * not of its type.
 */
export function filterConditions(types: FilterTypes | undefined, values: FilterValues | undefined): FilterConditions {
  if (values === undefined) return noConditions;
  const entries = Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const results = entries.map(({ name, value }) => {
    if (types === undefined || !Object.hasOwn(types, name)) {
      const allowed = Object.keys(types ?? {});
      throw errors.E_SEARCH(({ schema }) => schema.search.unknownFilter(name.slice(0, 100), allowed));
    }
    return conditionOf(name, types[name] as ColumnType<unknown> | CustomFilter, value);
  });
  return {
    conditions: results.map(({ condition }) => condition),
    values: results.map(({ value }, index) => [entries[index]!.name, value]),
  };
}

const isCustom = (type: ColumnType<unknown> | CustomFilter): type is CustomFilter => "type" in type;

function conditionOf(name: string, definition: ColumnType<unknown> | CustomFilter, value: FilterValue) {
  const filter: CustomFilter = isCustom(definition) ? definition : { type: definition };
  const { type, column: columnName = name, condition: custom } = filter;
  const read = (input: unknown): unknown => readValue(name, type, input);
  const column = columnFragment(columnName);

  if (Array.isArray(value)) {
    if (value.length > maxFilterValues)
      throw errors.E_SEARCH(({ schema }) => schema.search.tooManyValues(name, maxFilterValues));
    const values = [...new Set(value.map(read))];
    if (custom === undefined || values.length === 0) {
      return { condition: anyCondition(column, type, values), value: values };
    }
    const conditions = values.map((item) => sql`(${custom(item as never)})`);
    return { condition: sql.join(conditions, sql` or `), value: values };
  }
  if (isRange(value)) {
    const unknownKey = Object.keys(value).find((key) => key !== "from" && key !== "to");
    if (unknownKey !== undefined) throw errors.E_SEARCH(({ schema }) => schema.search.rangeKeys(name));
    if (custom !== undefined) throw errors.E_SEARCH(({ schema }) => schema.search.noRange(name));
    const [from, to] = [value.from, value.to].map((end) => (end === undefined ? undefined : readEnd(name, type, end)));
    return { condition: rangeCondition(column, type, from, to), value: { from, to } };
  }
  const single = read(value);
  if (custom !== undefined) return { condition: custom(single as never), value: single };
  if (single === null) return { condition: sql`${column} is null`, value: single };
  const decimal = decimalSize(type.storage, [single]);
  return { condition: sql`${comparable(column, decimal)} = ${comparable(single, decimal)}`, value: single };
}

const isRange = (value: FilterValue): value is FilterRange =>
  typeof value === "object" && value !== null && !(value instanceof Date) && !Array.isArray(value);

/** Reads a value of a type. Returns `mismatch` for a number that no statement can bind. */
function readBindable(type: ColumnType<unknown>, input: unknown): unknown {
  const value = input === undefined ? mismatch : type.read(input);
  const isOutOfRange =
    (typeof value === "bigint" && BigInt.asIntN(64, value) !== value) ||
    (typeof value === "number" && !Number.isFinite(value));
  return isOutOfRange ? mismatch : value;
}

function readValue(name: string, type: ColumnType<unknown>, input: unknown): unknown {
  if (input === null && type.isNullable) return null;
  const value = readBindable(type, input);
  if (value instanceof Date && (value.getUTCFullYear() < 1 || value.getUTCFullYear() > 9999)) {
    throw errors.E_SEARCH(({ schema }) => schema.search.years(name));
  }
  if (value === mismatch || (typeof value === "string" && value.length > maxFilterTextLength)) {
    throw errors.E_SEARCH(({ schema: { search } }) =>
      value === mismatch ? search.wrongType(name, type) : search.valueLength(name, maxFilterTextLength),
    );
  }
  if (type.storage?.type === "decimal") assertExact(name, value);
  return value;
}

function assertExact(name: string, value: unknown): void {
  try {
    sql.decimal(value);
  } catch (cause) {
    throw errors.E_SEARCH(({ schema }) => schema.search.decimalDigits(name)).causedBy(cause);
  }
}

function readEnd(name: string, type: ColumnType<unknown>, input: unknown): unknown {
  if (input === null) throw errors.E_SEARCH(({ schema }) => schema.search.rangeNull(name));
  return readValue(name, type, input);
}

function anyCondition(column: Fragment, { storage }: ColumnType<unknown>, values: readonly unknown[]): SqlPart {
  const present = values.filter((value) => value !== null);
  const decimal = decimalSize(storage, present);
  const condition =
    decimal === undefined || present.length === 0
      ? sql.in(column, present)
      : sql`${comparable(column, decimal)} in (${sql.join(present.map((value) => sql`${comparable(value, decimal)}`))})`;
  return present.length === values.length ? condition : sql`${condition} or ${column} is null`;
}

function rangeCondition(column: Fragment, { storage }: ColumnType<unknown>, from: unknown, to: unknown): SqlPart {
  const decimal = decimalSize(storage, [from, to]);
  const left = comparable(column, decimal);
  const [lower, upper] = [comparable(from, decimal), comparable(to, decimal)];
  if (from === undefined) return to === undefined ? sql`1 = 1` : sql`${left} <= ${upper}`;
  return to === undefined ? sql`${left} >= ${lower}` : sql`${left} >= ${lower} and ${left} <= ${upper}`;
}
