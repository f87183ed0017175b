/** Values that the check of a column allows: texts, or decimals in a range. */
export interface Allowed {
  readonly oneOf?: readonly string[];
  readonly min?: string | undefined;
  readonly max?: string | undefined;
}

/** Returns true for a check of the form that the description of a column makes. */
export const isDescribedCheck = (definition: string, column: string): boolean =>
  allowedBy(definition, column, true) !== undefined;

/** Returns what the check of a column allows; `undefined` for a check of another column, or of another form. */
export function allowedBy(definition: string, name: string, isDecimal: boolean): Allowed | undefined {
  for (const condition of conditionsOf(definition)) {
    const allowed = checkedTexts(condition, name) ?? (isDecimal ? checkedRange(condition, name) : undefined);
    if (allowed !== undefined) return allowed;
  }
  return undefined;
}

const literal = "'(?:[^']|'')*'";
const unparenthesized = `(?:[^()']|${literal})`;
const checkClause = new RegExp(`\\bcheck\\s*\\(((?:${unparenthesized}|\\(${unparenthesized}*\\))*)\\)`, "gi");

/** Returns the conditions of a check: SQLite has the statement that creates the table. */
function conditionsOf(definition: string): readonly string[] {
  if (/^\s*create\b/i.test(definition))
    return [...definition.matchAll(checkClause)].map(([, text = ""]) => text.trim());
  return [definition.replace(/^check\s*(?=\()/i, "").replace(/ not valid$/i, "")];
}

/** Returns the range of `"price" >= 0.01`, `cast("price" as real) >= 0 and …`, `((price >= '-1.00'::numeric) AND …)`. */
function checkedRange(condition: string, column: string): Allowed | undefined {
  const plain = condition.replaceAll(/\bcast\((\S+) as real\)/gi, "$1").replaceAll(/[()"`']|::\w+/g, "");
  const [minimum, maximum] = [">=", "<="].map((operator) => `${column}\\s*${operator}\\s*(-?\\d+(?:\\.\\d+)?)`);
  const [match, min, max] = new RegExp(`^(?:${minimum})?(?:\\s+and\\s+)?(?:${maximum})?$`, "i").exec(plain) ?? [];
  return match ? { min, max } : undefined;
}

/**
 * Returns the texts of a check that a column has one of them, or `undefined`: `"state" in ('a', 'b')`, and in the spelling
 * of PostgreSQL `(state)::text = ANY ((ARRAY['a'::character varying, …])::text[])`.
 */
function checkedTexts(condition: string, column: string): Allowed | undefined {
  const pattern = new RegExp(
    `^\\(*["\`]?${column}["\`]?\\)*(?:::text)?\\s*(?:in\\s*\\(|=\\s*any\\s*\\(+array\\[|=)\\s*((?:${literal}(?:::[a-z ]+)?(?:,\\s*)?)+)[\\])]*(?:::text\\[\\])?\\)*$`,
    "i",
  );
  const list = pattern.exec(condition)?.[1]?.match(new RegExp(literal, "g"));
  return list ? { oneOf: list.map(unquote) } : undefined;
}

/** Returns the text of a literal of SQL; other texts as they are. */
export const unquote = (text: string): string =>
  text.startsWith("'") && text.endsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
