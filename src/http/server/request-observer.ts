import type { Request } from "../message/request.ts";

/**
 * Reports the outcome of a request, once: when its response was sent, or when the client has disconnected.
 *
 * @param status `undefined` when no response was sent
 * @param isIncomplete true if the response was not sent completely
 */
export type ResponseReport = (status: number | undefined, isIncomplete: boolean) => void;

/** Observes each request before anything else happens with it. Neither it nor the returned callback may throw. */
export type RequestObserver = (request: Request) => ResponseReport;

/** Combines several observers into one; `undefined` if there is none. */
export function combineObservers([first, ...others]: readonly RequestObserver[]): RequestObserver | undefined {
  const rest = others.length === 0 ? undefined : combineObservers(others);
  if (first === undefined || rest === undefined) return first;
  return (request) => {
    const [reportFirst, reportRest] = [first(request), rest(request)];
    return (status, isIncomplete) => {
      reportFirst(status, isIncomplete);
      reportRest(status, isIncomplete);
    };
  };
}
