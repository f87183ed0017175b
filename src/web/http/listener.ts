import type { IncomingMessage, ServerResponse } from "node:http";
import { isError } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import { addErrorHeaders } from "../error-headers.ts";
import { errors } from "../errors.ts";
import { type Answer, isThenable } from "../handler.ts";
import { methods } from "../router/route.ts";
import { noParams, Request } from "../request.ts";
import { Response } from "../response.ts";
import type { Application } from "./application.ts";
import { logAnswer } from "./access-log.ts";
import { answering, condemned, type Connection } from "./connection.ts";
import { type Head, readHead } from "./head.ts";
import { NodeSource } from "./node-source.ts";
import { connectionOf, isHttp2, plainHeaders, refuseBody } from "./http2.ts";
import { isOutside, withoutPrefix } from "./prefix.ts";
import { send } from "./send.ts";
import type { ServerState } from "./server-state.ts";

/** What the listener of a server is made of. */
export interface ListenerSettings {
  readonly application: Application;
  readonly state: ServerState;
  /** Whether each answer is logged. */
  readonly accessLog: boolean;
}

/** Takes one request from `node:http` to its answer. */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

const log = Log.source("limmat.web");
const unknownHead: Head = { headers: [], path: "/", query: "", declared: 0, isWaiting: false, isLast: true };
const allMethods = methods.join(", ");

/** Makes the listener: head, request, answer, response, in the order of the functions below. */
export function makeListener({ application, state, accessLog }: ListenerSettings): Listener {
  const { prefix } = state;

  function listen(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const connection = isHttp2(incoming) ? connectionOf(incoming) : (incoming.socket as Connection);
    if (connection[condemned] === true) return;
    connection[answering] = outgoing;
    let head = unknownHead;
    let refusal: unknown;
    try {
      head = readHead(incoming, state);
    } catch (error) {
      refusal = error;
      head = { ...unknownHead, headers: isHttp2(incoming) ? plainHeaders(incoming.rawHeaders) : incoming.rawHeaders };
    }
    const source = new NodeSource(incoming, outgoing, connection, state, head);
    const request = new Request(source, source.method, withoutPrefix(head.path, prefix), noParams);
    if (accessLog) logAnswer(request, outgoing);
    try {
      if (refusal !== undefined) {
        connection[condemned] = true;
        respond(source, request, application.refuse(request, refusal));
      } else respond(source, request, answer(request, head.path));
    } catch (error) {
      fail(source, request, error);
    }
  }

  function answer(request: Request, path: string): Answer | Promise<Answer> {
    if (path === "*") return Response.empty(204, { headers: { allow: allMethods } });
    if (state.overload.isLate && !state.vitalPaths.has(path)) {
      addErrorHeaders(request, ["retry-after", "1"]);
      return application.refuse(request, errors.E_OVERLOADED());
    }
    return isOutside(path, prefix) ? application.answerOutside(request) : application.answer(request);
  }

  function respond(source: NodeSource, request: Request, answered: Answer | Promise<Answer>): void {
    if (answered instanceof Response) write(source, request, answered);
    else if (isThenable(answered)) {
      Promise.resolve(answered)
        .then((settled) => respond(source, request, settled))
        .catch((error: unknown) => fail(source, request, error));
    } else write(source, request, Response.from(answered));
  }

  function write(source: NodeSource, request: Request, response: Response): void {
    const isNew = isHttp2(source.incoming);
    const isUnread = source.hasUnreadBody;
    const lingers = isUnread && !isNew;
    if (isUnread && isNew) refuseBody(source.outgoing);
    const connection = source.connection;
    const closes = lingers || source.isLast || connection[condemned] === true || state.isStopping;
    if (closes) connection[condemned] = true;
    else if (source.declared !== 0 && !source.incoming.complete) cutWhenLate(source);
    const sent = send(source.outgoing, response, {
      isHead: source.method === "HEAD",
      closes,
      isHttp2: isNew,
      stopping: state.stopping,
      lingers,
    });
    sent?.catch((error: unknown) => fail(source, request, error));
  }

  /**
   * What was thrown outside of all middlewares, or while a body was sent: the error page if nothing was sent yet, the
   * plainest of answers if that fails as well, and else the end of the connection.
   */
  function fail(source: NodeSource, request: Request, error: unknown, isFirst = true): void {
    const { outgoing } = source;
    if (!isError(error, "E_CLIENT_GONE")) log.error("The request failed", { path: request.path, error });
    if (outgoing.headersSent || outgoing.destroyed) {
      outgoing.destroy();
      return;
    }
    try {
      const page = isFirst ? application.refuse(request, error) : lastResort;
      if (page instanceof Response) write(source, request, page);
      else
        Promise.resolve(page)
          .then((settled) => respond(source, request, settled))
          .catch((again: unknown) => fail(source, request, again, false));
    } catch (again) {
      if (isFirst) fail(source, request, again, false);
      else outgoing.destroy();
    }
  }

  return listen;
}

/** A body that no handler reads is waited for, so that another request can follow it, but not for ever. */
function cutWhenLate({ incoming, connection, server }: NodeSource): void {
  const cancel = Time.after(server.bodyTime, () => connection.destroy());
  incoming.once("end", cancel).once("close", cancel);
}

const lastResort = Response.text("Something went wrong. The error has been recorded.\n", { status: 500 });
