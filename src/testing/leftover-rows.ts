import { AssertionError } from "node:assert";
import { relative } from "node:path";
import { countRows, type Database } from "../database/index.ts";
import { observeStatements } from "../database/observation/index.ts";

/**
 * Counts the rows of all tables. Returns a function for the end of a test file, which verifies that no table into which this
 * process has inserted has more rows. Other files that run at the same time on the same database can insert into them, too.
 *
 * @throws AssertionError of the returned function, with the tables and the number of rows that were left.
 * @example
 * let assertNoLeftoverRows: () => Promise<void>;
 * before(async () => (assertNoLeftoverRows = await forbidLeftoverRows(database)));
 * after(() => assertNoLeftoverRows());
 */
export async function forbidLeftoverRows(database: Database): Promise<() => Promise<void>> {
  const before = await database.query((handle) => countRows(handle));
  const usedTables = new Set<string>();
  observeStatements(({ text }) => {
    for (const [, table = ""] of text.matchAll(/\b(?:insert|replace)(?: ignore)? into ["`]?(\w+)/gi))
      usedTables.add(table);
  });
  return async () => {
    const leftovers = Array.from(await database.query((handle) => countRows(handle)), ([table, count]) => {
      const added = count - (before.get(table) ?? 0);
      return added > 0 && usedTables.has(table) ? [`${table} (${added})`] : [];
    }).flat();
    if (leftovers.length === 0) return;
    // The report names the file of the hook, which several test files share.
    const [, program = ""] = process.argv;
    const file = /\.test\.[cm]?[jt]sx?$/.test(program) ? relative(process.cwd(), program) : "this file";
    const message =
      `The tests of ${file} have left rows in the database: ${leftovers.join(", ")}. ` +
      "Run each test in rolledBack, or call Cleaner.cleanAll() at its end.";
    throw new AssertionError({ message });
  };
}
