import { errors } from "../errors.ts";
import type { Answer, Handler, Middleware } from "../handler.ts";
import type { Request } from "../request.ts";

/** How it is known which migrations have not run. */
export interface PendingMigrationsOptions {
  /** The names of the migrations that have not run yet. */
  readonly pending: () => Promise<readonly string[]>;
}

/**
 * Answers nothing while migrations have not run, and says which (E_MIGRATIONS_PENDING, 503), in place of an error of the
 * database about a column that is missing.
 *
 * Asks with each request until none is pending, and then never again: later requests cost nothing.
 */
export function pendingMigrations({ pending }: PendingMigrationsOptions): Middleware {
  let isDone = false;

  const check = async (handler: Handler, request: Request): Promise<Answer> => {
    const names = await pending();
    if (names.length > 0) throw errors.E_MIGRATIONS_PENDING(names);
    isDone = true;
    return await handler(request);
  };
  return (handler: Handler) => (request: Request) => (isDone ? handler(request) : check(handler, request));
}
