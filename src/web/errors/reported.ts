import { Key, type Request } from "../../http/message/index.ts";

const reported = new Key<{ readonly error: unknown }>("the error that was logged");

/** Remembers that an error was logged for this request, so that whoever catches it next does not do so again. */
export function markReported(request: Request, error: unknown): void {
  request.set(reported, { error });
}

/** Whether this very error was logged for this request. */
export function isReported(request: Request, error: unknown): boolean {
  const mark = request.get(reported);
  return mark !== undefined && mark.error === error;
}
