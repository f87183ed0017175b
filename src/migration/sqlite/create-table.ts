import { closingIndex, isSymbol, keyword, parseStatements, partsAt, type SqlToken } from "../sql-tokens.ts";

/** Part of a `create table` statement: a column or a constraint. */
export interface TablePart {
  readonly text: string;
  /** Text to which the positions of the tokens refer. */
  readonly source: string;
  readonly tokens: readonly SqlToken[];
  /** Name of the column in lower case, or `undefined` for a constraint. */
  readonly column: string | undefined;
}

/** `create table` statement, divided into its parts. */
export interface CreateTable {
  readonly parts: readonly TablePart[];
  /** Text behind the parentheses: `without rowid`, `strict`. */
  readonly options: string;
}

/** Divides a `create table` statement. Returns `undefined` for a virtual table. */
export function parseCreateTable(text: string): CreateTable | undefined {
  const [{ tokens } = { tokens: [] }] = parseStatements(text, "sqlite");
  const open = tokens.findIndex(isSymbol("("));
  if (open === -1 || keyword(tokens[1]) === "virtual") return undefined;
  const close = closingIndex(tokens, open);
  const parts = partsAt(tokens, open).map((part) => tablePart(text, part));
  return { parts, options: text.slice(tokens[close]?.end ?? text.length) };
}

/** Returns a part of a table from its text. */
export function parsePart(text: string): TablePart {
  const [{ tokens } = { tokens: [] }] = parseStatements(text, "sqlite");
  return tablePart(text, tokens);
}

const constraintWords = ["constraint", "primary", "unique", "foreign", "check"];

function tablePart(text: string, tokens: readonly SqlToken[]): TablePart {
  const isConstraint = constraintWords.includes(keyword(tokens[0]));
  return {
    text: sqlTextOf(text, tokens),
    source: text,
    tokens,
    column: isConstraint ? undefined : tokens[0]?.text.toLowerCase(),
  };
}

/** Returns the text between the first and the last of some tokens. */
export const sqlTextOf = (text: string, tokens: readonly SqlToken[]): string =>
  text.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);

/** Constraint of a column: the tokens from its first keyword, without `constraint <name>`. */
export interface ColumnConstraint {
  readonly kind: string;
  readonly tokens: readonly SqlToken[];
}

const constraintStart = /^(?:primary|not|null|unique|check|default|collate|references|generated|as)$/;

/** Returns the constraints of a column definition, in order. */
export function columnConstraints(tokens: readonly SqlToken[]): readonly ColumnConstraint[] {
  const starts: number[] = [];
  for (let index = 1; index < tokens.length; index++) {
    if (isSymbol("(")(tokens[index])) {
      index = closingIndex(tokens, index);
      continue;
    }
    if (keyword(tokens[index]) === "constraint") {
      starts.push(index);
      index += 2;
    } else if (constraintStart.test(keyword(tokens[index])) && !continues(tokens, index)) starts.push(index);
  }
  return starts.map((start, position): ColumnConstraint => {
    const part = tokens.slice(start, starts[position + 1]);
    return { kind: keyword(part[keyword(part[0]) === "constraint" ? 2 : 0]), tokens: part };
  });
}

/** Returns true if a keyword belongs to the constraint before it: `default null`, `set null`, `not deferrable`. */
function continues(tokens: readonly SqlToken[], index: number): boolean {
  const [before, word, next] = [keyword(tokens[index - 1]), keyword(tokens[index]), keyword(tokens[index + 1])];
  if (word === "null" || word === "default") return ["not", "set", "default"].includes(before);
  if (word === "not") return next === "deferrable";
  return word === "as" && before === "always";
}
