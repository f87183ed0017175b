import { error, ok, type Result } from "../core/index.ts";

/** Condition that must hold, and the message for the user if it does not. */
export type Guard = readonly [isAllowed: boolean, message: string];

/**
 * Checks that all guards hold. Returns the message of the first guard that fails as an error.
 *
 * @example
 * const isOwner: Authorization.Guard = [todo.user_id === user.id, "Only its owner can change it."];
 * const allowed = Authorization.authorize([isOwner]);
 * if (!allowed.ok) return allowed;
 */
export function authorize(guards: readonly Guard[]): Result<undefined> {
  const failedGuard = guards.find(([isAllowed]) => !isAllowed);
  return failedGuard === undefined ? ok() : error(failedGuard[1]);
}

/** Combines guards into one that holds if at least one of them does. It fails for an empty list. */
export function any(guards: readonly Guard[], message: string): Guard {
  return [guards.some(([isAllowed]) => isAllowed), message];
}
