import { Key } from "../message/key.ts";
import type { Request } from "../message/request.ts";

const unique: Key<true> = new Key("unique answer");

/** Takes note that the answer to this request holds something that no other does: a nonce, a token. */
export function markUnique(request: Request): void {
  request.set(unique, true);
}

/** Whether the answer is like no other, so that a kept one must not stand for it. */
export function isUnique(request: Request): boolean {
  return request.get(unique) === true;
}
