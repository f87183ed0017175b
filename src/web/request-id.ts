import { Random } from "../random/index.ts";

let prefix = "";
let count = 0;

/**
 * An identifier that no other request of any process has: 8 digits that the process drew, 8 that it counts. No secret:
 * it is in logs and on error pages.
 *
 * The counted digits are scattered over their range (Knuth, The Art of Computer Programming 3, §6.4), so that two
 * lines of a log are told apart at a glance. A UUID would cost a request more than its routing.
 */
export function nextRequestId(): string {
  if ((count & 0xff_ff_ff) === 0) prefix = Random.hex(4);
  count = (count + 1) | 0;
  return prefix + (Math.imul(count, 0x9e_37_79_b1) >>> 0).toString(16).padStart(8, "0");
}

/** The identifier that a proxy gave a request, if it may stand in a log: 1 to 128 letters, digits, `.`, `_` and `-`. */
export function saneRequestId(id: string | undefined): string | undefined {
  return id !== undefined && /^[\w.-]{1,128}$/.test(id) ? id : undefined;
}
