import { isError } from "../../../core/index.ts";
import type { Database, Operations } from "../../../database/index.ts";

const attempts = 10;

/**
 * The operations of a database, for statements that stand alone: one that was given up because two waited for each other
 * is run again. (MariaDB does that also to statements that change a single row.)
 */
export function retrying(database: Database): Pick<Operations, "find" | "findOpt" | "exec" | "collect"> {
  return {
    find: (statement, options) => again(() => database.find(statement, options)),
    findOpt: (statement, options) => again(() => database.findOpt(statement, options)),
    exec: (statement, options) => again(() => database.exec(statement, options)),
    collect: (statement, options) => again(() => database.collect(statement, options)),
  };
}

async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      // Of a transaction around nothing is left: whoever began it may run it again, and must see why.
      if (isError(error, "E_DATABASE_TRANSACTION_ABORTED") && isDeadlock(error.cause)) throw error.cause;
      if (!isDeadlock(error) || attempt >= attempts) throw error;
    }
  }
}

const isDeadlock = (error: unknown): boolean => isError(error, "E_DATABASE_DEADLOCK");
