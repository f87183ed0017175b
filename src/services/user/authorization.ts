import { error, ok, type Result } from "../../core/index.ts";

/** A condition that must hold, and what a person is told when it does not. */
export type Guard = readonly [isAllowed: boolean, message: string];

/**
 * Whether all guards hold; otherwise the message of the first that does not. For the functions of an application that
 * answer with results.
 *
 * @example
 * const isOwner: Authorization.Guard = [todo.user_id === user.id, "Only its owner can change it."];
 * const allowed = Authorization.authorize([isOwner]);
 * if (!allowed.ok) return allowed;
 */
export function authorize(guards: readonly Guard[]): Result<undefined> {
  const refusing = guards.find(([isAllowed]) => !isAllowed);
  return refusing === undefined ? ok() : error(refusing[1]);
}

/** A guard that holds when one of several does. None of none does. */
export function any(guards: readonly Guard[], message: string): Guard {
  return [guards.some(([isAllowed]) => isAllowed), message];
}
