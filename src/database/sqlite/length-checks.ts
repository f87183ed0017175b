const tableStatementPattern = /\b(?:create\s+table|alter\s+table)\b/i;
const columnPattern = /(?<![\w"])("?)(?!as\b)([A-Za-z_]\w*)\1(\s+(?:var)?char\s*\(\s*(\d+)\s*\))/gi;

/** Name of the check constraints. Distinguishes a text that is too long from the violation of another check. */
export const lengthCheckName = "limmat_length";

/** Adds length checks to the `varchar(n)` and `char(n)` columns of a script, because SQLite ignores the length. */
export function addLengthChecks(script: string): string {
  if (!tableStatementPattern.test(script)) return script;
  return script.replace(
    columnPattern,
    (declared: string, quote: string, name: string, _type: string, length: string) =>
      `${declared} constraint ${lengthCheckName} check (length(${quote}${name}${quote}) <= ${length})`,
  );
}
