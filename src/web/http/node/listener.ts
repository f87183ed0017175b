import type { IncomingMessage, ServerResponse } from "node:http";
import { isError } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import { Time } from "../../../time/index.ts";
import { type Answer, isThenable } from "../../handler.ts";
import { noParams, Request } from "../../request.ts";
import { Response } from "../../response.ts";
import { isBodiless } from "../../response-web.ts";
import { lastResort, makeDispatch } from "../dispatch.ts";
import type { ServerDefinition } from "../host.ts";
import type { RequestObserver } from "../observer.ts";
import { withoutPrefix } from "../prefix.ts";
import { answering, condemned, type Connection } from "./connection.ts";
import { type Head, readHead } from "./head.ts";
import { NodeSource } from "./source.ts";
import { connectionOf, cutOff, isGone, isHttp2, isSent, plainHeaders, sentBy } from "./http2.ts";
import { keepAliveLines } from "./plain-head.ts";
import { send } from "./send.ts";

/** Takes one request from `node:http` to its answer. */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

const log = Log.source("limmat.web");
const unknownHead: Head = { headers: [], path: "/", query: "", declared: 0, isWaiting: false, isLast: true };

/** Makes the listener: head, request, answer, response, in the order of the functions below. */
export function makeListener({
  application,
  state,
  observe,
  limits,
}: Omit<ServerDefinition, "address" | "tls">): Listener {
  const { prefix } = state;
  const keepAlive = keepAliveLines(limits.keepAliveTime);
  const dispatch = makeDispatch(application, state);

  function listen(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const isNew = isHttp2(incoming);
    const connection = isNew ? connectionOf(incoming) : (incoming.socket as Connection);
    if (connection[condemned] === true) return;
    let head = unknownHead;
    let refusal: unknown;
    try {
      head = readHead(incoming, state);
    } catch (error) {
      refusal = error;
      head = { ...unknownHead, headers: isNew ? plainHeaders(incoming.rawHeaders) : incoming.rawHeaders };
    }
    const source = new NodeSource(incoming, outgoing, connection, state, head);
    const request = new Request(source, source.method, withoutPrefix(head.path, prefix), noParams);
    if (observe !== undefined) tellOfAnswer(observe(request), outgoing);
    try {
      if (refusal !== undefined) {
        connection[condemned] = true;
        respond(source, request, application.refuse(request, refusal));
      } else respond(source, request, dispatch(request, head.path));
    } catch (error) {
      fail(source, request, error);
    }
    if (!isNew) remember(connection, outgoing);
  }

  /** One function for success and failure of a promise is one promise less than `then` and `catch`. */
  function respondSafely(source: NodeSource, request: Request, answer: Answer): void {
    try {
      respond(source, request, answer);
    } catch (error) {
      fail(source, request, error);
    }
  }

  function respond(source: NodeSource, request: Request, answered: Answer | Promise<Answer>): void {
    if (answered instanceof Response) write(source, request, answered);
    else if (isThenable(answered)) {
      Promise.resolve(answered).then(
        (settled) => respondSafely(source, request, settled),
        (error: unknown) => fail(source, request, error),
      );
    } else write(source, request, Response.from(answered));
  }

  function write(source: NodeSource, request: Request, response: Response): void {
    const isNew = isHttp2(source.incoming);
    const isUnread = source.hasUnreadBody;
    const lingers = isUnread && !isNew;
    const connection = source.connection;
    const closes = lingers || source.isLast || connection[condemned] === true || state.isStopping;
    if (closes) connection[condemned] = true;
    const asksToStop = isUnread && isNew;
    if (asksToStop && hasContent(source, response)) sentBy(source.outgoing).once("finish", () => connection.destroy());
    else if (asksToStop || (!closes && !source.isRead))
      sentBy(source.outgoing).once("finish", () => cutWhenLate(source));
    const sent = send(source.outgoing, response, {
      isHead: source.method === "HEAD",
      closes,
      isHttp2: isNew,
      keepAlive,
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
    if (outgoing.headersSent || isGone(outgoing)) {
      cutOff(outgoing);
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
      else cutOff(outgoing);
    }
  }

  return listen;
}

/** Whether an answer is more than its head. The head alone is called sent before it is, and a stream that is closed loses it. */
function hasContent({ method }: NodeSource, { status, body }: Response): boolean {
  return method !== "HEAD" && !isBodiless(status) && body !== undefined && body !== "";
}

/**
 * Keeps an answer that something may still follow too early: it waits for its handler, for the answers before it, which
 * have the socket, or is the last one.
 */
function remember(connection: Connection, outgoing: ServerResponse): void {
  const isLast = !outgoing.shouldKeepAlive || connection[condemned] === true;
  const isWritten = outgoing.writableEnded && outgoing.socket !== null && !isLast;
  connection[answering] = isWritten ? undefined : outgoing;
  if (!isWritten) outgoing.prependListener("finish", forgetAnswer);
}

/**
 * A connection that rests must not hold on to its last answer: with all that hangs on it, it would be copied at each
 * collection of young objects, and these are given more memory the more survives.
 */
function forgetAnswer(this: ServerResponse): void {
  const connection: Connection | null = this.socket;
  if (connection?.[answering] === this) connection[answering] = undefined;
}

/** A body that was answered is waited for, so that another request can follow it, but not for ever. */
function cutWhenLate({ incoming, connection, server }: NodeSource): void {
  if (incoming.complete) return;
  const cancel = Time.after(server.bodyTime, () => connection.destroy());
  incoming.once("end", cancel).once("close", cancel);
}

/** Tells of an answer when it was sent, or when the client went away before. */
function tellOfAnswer(sent: ReturnType<RequestObserver>, outgoing: ServerResponse): void {
  outgoing.once("close", () => {
    sent(outgoing.headersSent ? outgoing.statusCode : undefined, !isSent(outgoing));
  });
}
