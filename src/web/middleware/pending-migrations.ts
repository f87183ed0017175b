import { errors } from "../errors.ts";
import type { Handler, HandlerResult, Middleware } from "../../http/router/index.ts";
import type { Request } from "../../http/message/index.ts";
import { named } from "./factory.ts";

/** A step that has not run. */
export interface PendingStep {
  readonly namespace: string;
  readonly name: string;
}

/** How it is known which migrations have not run. */
export interface PendingMigrationsOptions {
  /** The steps that have not run yet: `() => migration.pending()`. */
  readonly pending: () => Promise<readonly PendingStep[]>;
}

/**
 * Answers nothing while migrations have not run, and says which (E_NOT_MIGRATED, 503), in place of an error of the
 * database about a column that is missing.
 *
 * Asks with each request until none is pending, and then never again: later requests cost nothing.
 */
export function pendingMigrations({ pending }: PendingMigrationsOptions): Middleware {
  let isDone = false;

  const check = async (handler: Handler, request: Request): Promise<HandlerResult> => {
    const steps = await pending();
    if (steps.length > 0) throw errors.E_NOT_MIGRATED(steps.map(({ namespace, name }) => `${namespace} "${name}"`));
    isDone = true;
    return await handler(request);
  };
  return named(
    "pendingMigrations",
    (handler: Handler) => (request: Request) => (isDone ? handler(request) : check(handler, request)),
  );
}
