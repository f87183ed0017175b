/**
 * Returns a guard: a query that must find no rows before the statements behind it run. Its comment says what the rows have.
 * A client that does not know guards shows the rows.
 */
export const guardText = (problem: string, query: string): string => `/* refused while ${problem} */ ${query}`;

/** True for SQL that contains a guard. */
export const mayHaveGuards = (script: string): boolean => script.includes("/* refused while ");
