import { addErrorHeaders } from "../error-headers.ts";
import { errors } from "../errors.ts";
import type { Answer } from "../handler.ts";
import type { Request } from "../request.ts";
import { Response } from "../response.ts";
import { methods } from "../router/route.ts";
import type { Application } from "./application.ts";
import { isOutside } from "./prefix.ts";
import type { ServerState } from "./server-state.ts";

/** Answers a request whose head was found to be right, given its path with the prefix. Throws as middlewares do. */
export type Dispatch = (request: Request, path: string) => Answer | Promise<Answer>;

/** What every host does between the head of a request and its response. */
export function makeDispatch(application: Application, state: ServerState): Dispatch {
  const { prefix } = state;
  return (request, path) => {
    if (path === "*") return Response.empty(204, { headers: { allow: allMethods } });
    if (state.overload.isLate && !state.vitalPaths.has(path)) {
      addErrorHeaders(request, ["retry-after", "1"]);
      return application.refuse(request, errors.E_OVERLOADED());
    }
    return isOutside(path, prefix) ? application.answerOutside(request) : application.answer(request);
  };
}

const allMethods = methods.join(", ");

/** What is sent when the page of an error fails as well. */
export const lastResort: Response = Response.text("Something went wrong. The error has been recorded.\n", {
  status: 500,
});
