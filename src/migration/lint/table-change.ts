import { hasKeywords, isSymbol, keyword, keywordsAt, partsAt, splitAtCommas, type SqlToken } from "../sql-tokens.ts";

/** Action of `alter table`. */
export interface AlterAction {
  readonly kind:
    | "add column"
    | "drop column"
    | "rename column"
    | "change column"
    | "set not null"
    | "add constraint"
    | "add index"
    | "convert"
    | "other";
  /** Column, or an empty text if the action has none. */
  readonly column: string;
  /** Tokens of the action, without the keywords before the column. */
  readonly tokens: readonly SqlToken[];
}

/** Change of one table by a statement. */
export interface TableChange {
  readonly kind:
    | "create table"
    | "create index"
    | "alter table"
    | "drop table"
    | "rename table"
    | "update"
    | "delete"
    | "lock"
    | "truncate";
  readonly table: string;
  readonly actions: readonly AlterAction[];
  /** Columns of each foreign key that the statement creates. */
  readonly foreignKeys: readonly (readonly string[])[];
  /** Columns of each index, unique constraint and primary key that the statement creates. */
  readonly indexes: readonly (readonly string[])[];
}

/** Foreign keys and indexes that a statement creates. */
type Constraints = Pick<TableChange, "foreignKeys" | "indexes">;

const noConstraints: Constraints = { foreignKeys: [], indexes: [] };

/** Returns the change of a table by a statement, or `undefined` for another statement. */
export function tableChangeOf(tokens: readonly SqlToken[]): TableChange | undefined {
  const words = tokens.slice(0, 6).map(keyword);
  const make = (kind: TableChange["kind"], after: number): TableChange => ({
    kind,
    table: nameAt(tokens, after).name,
    actions: [],
    ...noConstraints,
  });
  const table = words.indexOf("table");
  if (words[0] === "create" && table !== -1) return createdTable(tokens, skipCondition(tokens, table + 1));
  if (words[0] === "create" && words.includes("index")) return createdIndex(tokens);
  if (words[0] === "drop" && table === 1) return make("drop table", skipCondition(tokens, 2));
  if (words[0] === "rename" && table === 1) return make("rename table", 2);
  if (words[0] === "alter" && table !== -1) return alteredTable(tokens, skipCondition(tokens, table + 1));
  if (words[0] === "update") return make("update", words[1] === "only" ? 2 : 1);
  if (words[0] === "delete" && words[1] === "from") return make("delete", words[2] === "only" ? 3 : 2);
  if (words[0] === "lock") return make("lock", /^tables?$/.test(words[1] ?? "") ? 2 : 1);
  if (words[0] === "truncate") return make("truncate", table === 1 ? 2 : 1);
  return undefined;
}

/** Skips `if exists`, `if not exists` and `only`. */
function skipCondition(tokens: readonly SqlToken[], index: number): number {
  let next = index;
  while (["if", "not", "exists", "only"].includes(keyword(tokens[next]))) next += 1;
  return next;
}

/** Returns the name at a position, without its schema, and the position after it. */
function nameAt(tokens: readonly SqlToken[], index: number): { readonly name: string; readonly next: number } {
  let [name, next] = [tokens[index]?.text ?? "", index + 1];
  while (tokens[next]?.text === "." && tokens[next]?.kind === "symbol") {
    name = tokens[next + 1]?.text ?? "";
    next += 2;
  }
  return { name, next };
}

const firstNames = (parts: readonly (readonly SqlToken[])[]): readonly string[] =>
  parts.map((part) => part[0]?.text ?? "");

/** Returns the columns of the first parentheses behind a position. */
function columnsAfter(tokens: readonly SqlToken[], start: number): readonly string[] {
  const open = tokens.findIndex((token, index) => index > start && isSymbol("(")(token));
  return open === -1 ? [] : firstNames(partsAt(tokens, open));
}

const constraintWords = ["constraint", "primary", "unique", "foreign", "check", "key", "index", "fulltext", "exclude"];

/** Returns the foreign keys and indexes of a column or constraint in `create table` or `alter table … add`. */
function constraintsOf(part: readonly SqlToken[]): Constraints {
  if (constraintWords.includes(keyword(part[0]))) {
    const foreign = keywordsAt(part, "foreign", "key");
    if (foreign !== -1) return { ...noConstraints, foreignKeys: [columnsAfter(part, foreign)] };
    const word = ["primary", "unique", "index", "key"].find((candidate) => hasKeywords(part, candidate));
    return word === undefined
      ? noConstraints
      : { ...noConstraints, indexes: [columnsAfter(part, keywordsAt(part, word))] };
  }
  const column = part[0]?.text ?? "";
  return {
    foreignKeys: hasKeywords(part, "references") ? [[column]] : [],
    indexes: hasKeywords(part, "primary", "key") || hasKeywords(part, "unique") ? [[column]] : [],
  };
}

function allConstraints(parts: readonly (readonly SqlToken[])[]): Constraints {
  const constraints = parts.map(constraintsOf);
  return {
    foreignKeys: constraints.flatMap(({ foreignKeys }) => foreignKeys),
    indexes: constraints.flatMap(({ indexes }) => indexes),
  };
}

function createdTable(tokens: readonly SqlToken[], index: number): TableChange {
  const { name, next } = nameAt(tokens, index);
  return { kind: "create table", table: name, actions: [], ...allConstraints(partsAt(tokens, next)) };
}

function createdIndex(tokens: readonly SqlToken[]): TableChange {
  const on = keywordsAt(tokens, "on");
  const { name } = nameAt(tokens, skipCondition(tokens, on + 1));
  // An index of some of the rows does not serve a foreign key.
  const columns = hasKeywords(tokens, "where") ? [] : columnsAfter(tokens, on);
  return { kind: "create index", table: name, actions: [], foreignKeys: [], indexes: [columns] };
}

function alteredTable(tokens: readonly SqlToken[], index: number): TableChange {
  const { name, next } = nameAt(tokens, index);
  const parts = splitAtCommas(tokens.slice(next));
  if (keyword(parts[0]?.[0]) === "rename" && /^(?:to|as)$/.test(keyword(parts[0]?.[1]))) {
    return { kind: "rename table", table: name, actions: [], ...noConstraints };
  }
  const actions = parts.map(alterAction);
  const added = actions.filter(({ kind }) => ["add column", "add constraint", "add index"].includes(kind));
  return { kind: "alter table", table: name, actions, ...allConstraints(added.map((action) => action.tokens)) };
}

function alterAction(part: readonly SqlToken[]): AlterAction {
  const [verb, second] = [keyword(part[0]), keyword(part[1])];
  const start = skipCondition(part, second === "column" ? 2 : 1);
  const rest = part.slice(start);
  const column = rest[0]?.text ?? "";
  if (verb === "add") {
    const isColumn = second === "column" || !constraintWords.includes(second);
    if (isColumn) return { kind: "add column", column, tokens: rest };
    const isIndex = /^(?:index|key|fulltext)$/.test(second);
    return { kind: isIndex ? "add index" : "add constraint", column: "", tokens: part.slice(1) };
  }
  if (verb === "drop" && (second === "column" || !/^(?:constraint|index|key|primary|foreign|check)$/.test(second)))
    return { kind: "drop column", column, tokens: rest };
  if (verb === "rename" && !/^(?:constraint|index|key)$/.test(second))
    return { kind: "rename column", column, tokens: rest };
  if (verb === "modify") return { kind: "change column", column, tokens: rest };
  if (verb === "change") {
    const isRename = rest[1]?.text !== column;
    return { kind: isRename ? "rename column" : "change column", column, tokens: rest.slice(1) };
  }
  if (verb === "convert") return { kind: "convert", column: "", tokens: rest };
  if (verb === "alter") {
    if (hasKeywords(rest, "set", "not", "null")) return { kind: "set not null", column, tokens: rest };
    if (keyword(rest[1]) === "type" || hasKeywords(rest, "set", "data", "type"))
      return { kind: "change column", column, tokens: rest };
  }
  return { kind: "other", column, tokens: rest };
}
