const isTable = /\b(?:create\s+table|alter\s+table)\b/i;
const column = /(?<![\w"])("?)(?!as\b)([A-Za-z_]\w*)\1(\s+(?:var)?char\s*\(\s*(\d+)\s*\))/gi;

/** The name of the checks, by which a text that is too long is known from a value that breaks a rule. */
export const lengthCheck = "limmat_length";

/**
 * Adds checks of the lengths that a script gives to text columns: SQLite takes `varchar(200)` and ignores the 200, where
 * all others refuse what is longer.
 */
export function withLengths(script: string): string {
  if (!isTable.test(script)) return script;
  return script.replace(
    column,
    (declared: string, quote: string, name: string, _type: string, length: string) =>
      `${declared} constraint ${lengthCheck} check (length(${quote}${name}${quote}) <= ${length})`,
  );
}
