import type { DialectName, PreparedStatement } from "../contract.ts";

// Servers keep named statements until the connection ends. An application with more texts than this builds them from its
// data, so further texts are sent unnamed.
const maxNamedStatements = 500;

const statementsByDialect: Readonly<Record<DialectName, Map<string, PreparedStatement>>> = {
  sqlite: new Map(),
  postgresql: new Map(),
  mariadb: new Map(),
};

let lastNumber = 0;

/** Returns the prepared statement of a text. It is named and cached until there are too many named statements. */
export function prepareStatement(text: string, dialect: DialectName): PreparedStatement {
  const statements = statementsByDialect[dialect];
  const cached = statements.get(text);
  if (cached !== undefined) return cached;
  const isNamed = statements.size < maxNamedStatements;
  const prepared = Object.freeze({
    text,
    name: isNamed ? `limmat_${++lastNumber}` : undefined,
    isReadOnly: isReadOnlyText(text),
  });
  if (isNamed) statements.set(text, prepared);
  return prepared;
}

const readingStart = /^\s*(?:select|with|values)\b/i;
const writingWord = /\b(?:insert|update|delete|merge|replace|into|lock|share|nextval|setval)\b/i;

/** Returns true if a text certainly only reads. A word such as "delete" anywhere makes it false. */
function isReadOnlyText(text: string): boolean {
  return readingStart.test(text) && !writingWord.test(text);
}
