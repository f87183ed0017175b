import { type RelatedTable, TableInternals } from "../table/index.ts";
import { type AnyRule, conditionFor, type User } from "./rule.ts";

const { equalitiesOf, isSqlPart, isUuidText, requireColumn, requireModel, storedValues } = TableInternals;

/**
 * Decides whether a rule allows a user a row, from the columns of the row. Returns `undefined` if only the database can
 * tell: for SQL, related rows, columns that the row lacks, and types whose equality differs between databases.
 */
export function decide(
  table: RelatedTable,
  rule: AnyRule,
  user: User | undefined,
  row: TableInternals.AnyRow,
): boolean | undefined {
  const ofRow = (condition: unknown): boolean | undefined =>
    typeof condition === "boolean" ? condition : matches(table, condition, row);
  if (typeof rule === "function") return user !== undefined && ofRow(conditionFor(table, rule, user));
  switch (rule.kind) {
    case "anyone":
      return ofRow(rule.condition);
    case "all":
      return decideAll(rule.rules, false, (part) => decide(table, part, user, row));
    case "any":
      return decideAll(rule.rules, true, (part) => decide(table, part, user, row));
    case "not": {
      const decided = decide(table, rule.rule, user, row);
      return decided === undefined ? undefined : !decided;
    }
    default:
      return undefined;
  }
}

/** Combines decisions. One that is `deciding` decides alone; otherwise an unknown one makes all unknown. */
function decideAll<Part>(
  parts: readonly Part[],
  deciding: boolean,
  decidePart: (part: Part) => boolean | undefined,
): boolean | undefined {
  let isUnknown = false;
  for (const part of parts) {
    const decided = decidePart(part);
    if (decided === deciding) return deciding;
    isUnknown ||= decided === undefined;
  }
  return isUnknown ? undefined : !deciding;
}

/** Returns true if a row matches a condition, or `undefined` if only the database can tell. */
function matches(table: RelatedTable, condition: unknown, row: TableInternals.AnyRow): boolean | undefined {
  // The database refuses an empty list with its message.
  if (isSqlPart(condition) || Array.isArray(condition)) return undefined;
  const model = requireModel(table);
  return decideAll(equalitiesOf(model, condition), false, ([name, value]) => isEqual(model, name, value, row));
}

/** Types whose values are equal in JavaScript if they are equal in each database. */
const comparableTypes = new Set(["uuid", "text", "string", "bool", "int", "timestamp", "date"]);

function isEqual(
  model: TableInternals.TableModel,
  name: string,
  expected: unknown,
  row: TableInternals.AnyRow,
): boolean | undefined {
  const column = requireColumn(model, name);
  // The database refuses `undefined` with its message.
  if (!comparableTypes.has(column.storage.type) || column.encryption !== undefined || expected === undefined)
    return undefined;
  if (!Object.hasOwn(row, name)) return undefined;
  const stored = row[name] ?? null;
  if (expected === null) return stored === null;
  // Most rules compare the id of the user, whose form needs no check if it differs from that of the row.
  if (column.storage.type === "uuid" && typeof expected === "string" && typeof stored === "string") {
    return stored.toLowerCase() === expected.toLowerCase() && isUuidText(expected);
  }
  // Also for NULL, which equals nothing: a value of another type is refused.
  const keys = storedValues(model, column, [expected].flat()).map(comparable);
  return (
    stored !== null &&
    keys.includes(comparable(column.storage.type === "uuid" ? (stored as string).toLowerCase() : stored))
  );
}

/** Returns a value that is the same for equal values. */
function comparable(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  // Integers are numbers or, beyond 2⁵³, bigints.
  return typeof value === "number" ? BigInt(value) : value;
}
