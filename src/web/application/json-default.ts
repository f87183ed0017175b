import { parseTarget, type Request, Response } from "../../http/message/index.ts";
import { compile, type Handler, type Router } from "../../http/router/index.ts";

/**
 * Returns a function that makes JSON the default format of a request if its route prefers JSON. For requests that the
 * server refuses before they have a route: of a malformed query, or while it sheds load.
 */
export function makeJsonDefault(router: Router): (request: Request) => void {
  const empty: Handler = () => Response.empty();
  const { handle: probe } = compile(withoutHandlers(router), { notFound: empty, methodNotAllowed: empty });
  return (request) => {
    const path = pathOf(request);
    if (path === undefined) return;
    void probe(request.with({ path }));
    request.setRoute(undefined);
  };
}

/** Returns the canonical path of a target, whose query may be malformed, without the prefix; `undefined` for a malformed path. */
function pathOf({ target, prefix }: Request): string | undefined {
  const [beforeQuery = ""] = target.split("?", 1);
  try {
    const { path } = parseTarget(beforeQuery);
    if (path === prefix) return "/";
    return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the routes with handlers that only make JSON the default format where a route prefers it. */
function withoutHandlers({ routes }: Router): Router {
  return {
    routes: routes.map((route) => ({
      ...route,
      middlewares: [],
      handler: (request) => {
        if (route.prefersJson) request.preferJson();
        return Response.empty();
      },
    })),
  };
}
