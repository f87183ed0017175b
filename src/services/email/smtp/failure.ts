import type { LimmatError } from "../../../core/index.ts";
import { errors } from "../errors.ts";
import { oneLine } from "../answer.ts";

interface LibraryError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

/**
 * The error of the framework for one of the library. Refused is only what the server refused for good (5yz, RFC 5321
 * §4.2.1) because of this mail: a wrong password or certificate is no fault of the mail, which waits until it is mended.
 */
export function failure(where: string, cause: unknown): LimmatError {
  const { code, responseCode, message } = cause as LibraryError;
  const isAboutMail = code === "EENVELOPE" || code === "EMESSAGE";
  // 503 says that the commands came in a wrong order: a new connection may do better.
  const isForGood = responseCode === undefined || (responseCode >= 500 && responseCode !== 503);
  if (isAboutMail && isForGood) return errors.E_EMAIL_REFUSED(where, oneLine(message)).causedBy(cause);
  return errors.E_EMAIL_UNAVAILABLE(where, oneLine(message)).causedBy(cause);
}
