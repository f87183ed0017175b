import { errors } from "../errors.ts";
import type { Handler, HandlerResult, Middleware } from "../../http/router/index.ts";
import type { Request } from "../../http/message/index.ts";
import { withName } from "./factory.ts";

/** Migration step that has not run. */
export interface PendingStep {
  readonly namespace: string;
  readonly name: string;
}

/** Options of the pending migrations middleware. */
export interface PendingMigrationsOptions {
  /** Returns the steps that have not run: `() => migration.pending()`. */
  readonly pending: () => Promise<readonly PendingStep[]>;
}

/**
 * Refuses requests while migrations are pending with their names (E_NOT_MIGRATED, 503), instead of database errors.
 *
 * Checks on each request until no step is pending, and never again after that.
 */
export function pendingMigrations({ pending }: PendingMigrationsOptions): Middleware {
  let isDone = false;

  const check = async (handler: Handler, request: Request): Promise<HandlerResult> => {
    const steps = await pending();
    if (steps.length > 0) throw errors.E_NOT_MIGRATED(steps.map(({ namespace, name }) => `${namespace} "${name}"`));
    isDone = true;
    return await handler(request);
  };
  return withName("pendingMigrations", (handler) => (request) => (isDone ? handler(request) : check(handler, request)));
}
