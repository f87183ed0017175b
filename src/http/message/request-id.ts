import { Random } from "../../random/index.ts";

const lastDigits = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, "0"));
let firstDigits = "";
let count = 0;

/**
 * An identifier of 16 hexadecimal digits that no other request has: 14 drawn at random for 256 requests, 2 counted. No
 * secret: it is in logs and on error pages. A UUID for each request would cost more than to find its route.
 */
export function nextRequestId(): string {
  if (count === 0) firstDigits = Random.hex(7);
  const id = firstDigits + (lastDigits[count] as string);
  count = (count + 1) % 256;
  return id;
}

/** The identifier that a proxy gave a request, if it may stand in a log: 1 to 128 letters, digits, `.`, `_` and `-`. */
export function saneRequestId(id: string | undefined): string | undefined {
  return id !== undefined && /^[\w.-]{1,128}$/.test(id) ? id : undefined;
}
