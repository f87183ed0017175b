import type { Request } from "../request.ts";

/**
 * Called with each request that a server answers, before anything else happens with it. Gives the function that is called
 * once, when the answer was sent or the client went away before: `status` is `undefined` when nothing was sent, `isCut`
 * tells that not all was. Neither may throw.
 */
export type RequestObserver = (request: Request) => (status: number | undefined, isCut: boolean) => void;

/** One observer of several, or `undefined` of none. */
export function together([first, ...others]: readonly RequestObserver[]): RequestObserver | undefined {
  const rest = others.length === 0 ? undefined : together(others);
  if (first === undefined || rest === undefined) return first;
  return (request) => {
    const [tell, tellRest] = [first(request), rest(request)];
    return (status, isCut) => {
      tell(status, isCut);
      tellRest(status, isCut);
    };
  };
}
