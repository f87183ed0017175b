import { isError } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import { type Answer, isThenable } from "../../handler.ts";
import { noParams, Request } from "../../request.ts";
import { Response } from "../../response.ts";
import { isBodiless } from "../../response-web.ts";
import { lastResort, makeDispatch } from "../dispatch.ts";
import type { ServerDefinition } from "../host.ts";
import type { RequestObserver } from "../observer.ts";
import { withoutPrefix } from "../prefix.ts";
import type { BunServer } from "./api.ts";
import { type Head, type HeadRules, readHead, targetOf } from "./head.ts";
import { send } from "./send.ts";
import { BunSource, type SourceSettings } from "./source.ts";
import { standardResponse } from "./standard.ts";

type Sent = globalThis.Response | Promise<globalThis.Response>;

/** Takes one request from `Bun.serve` to its answer. */
export type Fetch = (incoming: globalThis.Request, server: BunServer) => Sent;

const log = Log.source("limmat.web");

/** Makes the function that answers: head, request, answer, response, in the order of the functions below. */
export function makeFetch(
  { application, state, observe }: Pick<ServerDefinition, "application" | "state" | "observe">,
  rules: HeadRules & SourceSettings,
): Fetch {
  const { prefix } = state;
  const dispatch = makeDispatch(application, state);

  function fetch(incoming: globalThis.Request, server: BunServer): Sent {
    let head: Head | undefined;
    let refusal: unknown;
    try {
      head = readHead(incoming, rules);
    } catch (error) {
      refusal = error;
    }
    const source = new BunSource(
      incoming,
      server,
      state,
      head ?? { target: targetOf(incoming.url), path: "/", query: "" },
      rules,
    );
    const request = new Request(source, source.method, withoutPrefix(head?.path ?? "/", prefix), noParams);
    if (observe !== undefined) tellOfAnswer(source, observe(request));
    try {
      if (head !== undefined) return respond(source, request, dispatch(request, head.path));
      source.isRefused = true;
      return respond(source, request, application.refuse(request, refusal));
    } catch (error) {
      return fail(source, request, error);
    }
  }

  function respond(source: BunSource, request: Request, answered: Answer | Promise<Answer>): Sent {
    if (answered instanceof Response) return write(source, request, answered);
    if (!isThenable(answered)) return write(source, request, Response.from(answered));
    // It is not the client's fault that it waits.
    source.setPatience(0);
    return Promise.resolve(answered).then(
      (settled) => {
        try {
          return respond(source, request, settled);
        } catch (error) {
          return fail(source, request, error);
        }
      },
      (error: unknown) => fail(source, request, error),
    );
  }

  function write(source: BunSource, request: Request, response: Response): Sent {
    source.setPatience(rules.idleTime);
    const isHead = source.method === "HEAD";
    const closes = source.isRefused || state.isStopping || source.hasUnreadBody;
    // The way of nearly every answer.
    if (typeof response.body === "string" && !isHead && !closes && !isBodiless(response.status)) {
      source.onEnd?.(response.status, false);
      return standardResponse(response.status, response.blocks, response.body);
    }
    const sent = send(response, {
      isHead,
      closes,
      stopping: state.stopping,
      setTurn: (turn) => source.setPatience(turn === "client" ? rules.idleTime : 0),
      onEnd: (error) => {
        if (error !== undefined) logFailure(request, error);
        source.onEnd?.(response.status, error !== undefined);
      },
    });
    if (!isThenable(sent)) return sent;
    return sent.then(
      (begun) => {
        source.status = response.status;
        return begun;
      },
      (error: unknown) => fail(source, request, error),
    );
  }

  /** What was thrown outside of all middlewares: the error page, and the plainest of answers if that fails as well. */
  function fail(source: BunSource, request: Request, error: unknown, isFirst = true): Sent {
    logFailure(request, error);
    if (!isFirst) return write(source, request, lastResort);
    try {
      const page = application.refuse(request, error);
      if (page instanceof Response) return write(source, request, page);
      return Promise.resolve(page)
        .then((settled) => respond(source, request, settled))
        .catch((again: unknown) => fail(source, request, again, false));
    } catch (again) {
      return fail(source, request, again, false);
    }
  }

  return fetch;
}

function logFailure(request: Request, error: unknown): void {
  if (!isError(error, "E_CLIENT_GONE")) log.error("The request failed", { path: request.path, error });
}

/** Tells of an answer when Bun was given all of it, or when the client went away before. */
function tellOfAnswer(source: BunSource, sent: ReturnType<RequestObserver>): void {
  // The address is not known any more when the connection is gone.
  void source.peer;
  let isTold = false;
  source.onEnd = (status, isCut) => {
    if (!isTold) sent(status, isCut);
    isTold = true;
  };
  source.incoming.signal.addEventListener("abort", () => source.onEnd?.(source.status, true), { once: true });
}
