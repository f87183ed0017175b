import type { IncomingMessage, ServerResponse } from "node:http";
import { TimeInternals } from "../../../time/index.ts";
import type { Response } from "../../message/response.ts";
import { isBodiless } from "../../message/fetch-response.ts";
import { makeExchange } from "../exchange.ts";
import type { ServerDefinition } from "../host.ts";
import { formatKeepAlive, type KeepAliveHeaders } from "../response-head.ts";
import { send } from "../send.ts";
import type { ServerState } from "../server-state.ts";
import { activeResponse, type Connection, isClosing } from "./connection.ts";
import { type Head, readHead } from "./head.ts";
import {
  abortResponse,
  afterEndStream,
  streamConnection,
  isDisconnected,
  isHttp2,
  toHttp1Headers,
  responseEmitter,
} from "./http2.ts";
import { NodeWriter } from "./send.ts";
import { NodeSource } from "./source.ts";

/** Handles one request of `node:http`. */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

const malformedHead: Head = {
  headers: [],
  path: "/",
  query: "",
  declaredBytes: 0,
  expectsContinue: false,
  isForwarded: true,
  isUpgrade: true,
};

/** Returns the listener of a `node:http` server: parses the head, then runs the exchange (`../exchange.ts`). */
export function makeListener({
  state,
  observe,
  limits,
}: Pick<ServerDefinition, "state" | "observe" | "limits">): Listener {
  const keepAlive = formatKeepAlive(limits.keepAliveMs);
  const exchange = makeExchange<NodeSource, void>(
    {
      send: (source, _request, response) => sendResponse(source, response, state, keepAlive),
      canSend: ({ outgoing }) => !outgoing.headersSent && !isDisconnected(outgoing),
      abort: ({ outgoing }) => abortResponse(outgoing),
    },
    state,
    observe,
  );

  return (incoming, outgoing) => {
    const isOverHttp2 = isHttp2(incoming);
    const connection = isOverHttp2 ? streamConnection(incoming) : (incoming.socket as Connection);
    if (connection[isClosing] === true) return;
    let head = malformedHead;
    let rejection: unknown;
    try {
      head = readHead(incoming, state);
    } catch (error) {
      rejection = error;
      head = { ...malformedHead, headers: isOverHttp2 ? toHttp1Headers(incoming.rawHeaders) : incoming.rawHeaders };
      connection[isClosing] = true;
    }
    void exchange(new NodeSource(incoming, outgoing, connection, state, head), head.path, rejection);
    if (!isOverHttp2) trackActiveResponse(connection, outgoing);
  };
}

function sendResponse(
  source: NodeSource,
  response: Response,
  state: ServerState,
  keepAlive: KeepAliveHeaders,
): Promise<void> | undefined {
  const { incoming, outgoing, connection } = source;
  const isOverHttp2 = isHttp2(incoming);
  const hasUnreadBody = source.hasUnreadBody;
  const lingeringClose = hasUnreadBody && !isOverHttp2;
  const closesConnection =
    lingeringClose || source.closesConnection || connection[isClosing] === true || state.isStopping;
  if (closesConnection) connection[isClosing] = true;
  const resetsStream = hasUnreadBody && isOverHttp2;
  if (resetsStream && hasContent(source, response)) {
    afterEndStream(outgoing, () => connection.destroy());
  } else if (resetsStream || (!closesConnection && !source.isBodyRead)) {
    responseEmitter(outgoing).once("finish", () => limitUpload(source));
  }
  const isHead = source.method === "HEAD";
  const options = { isHead, closesConnection, isHttp2: isOverHttp2, keepAlive, lingeringClose };
  return send(new NodeWriter(outgoing, response, options), response, state.stopping);
}

/**
 * Returns true if the response has more than a head. `node:http2` reports a response without content as finished before
 * it is sent, and closing its stream would lose the head.
 */
function hasContent({ method }: NodeSource, { status, body }: Response): boolean {
  return method !== "HEAD" && !isBodiless(status) && body !== undefined && body !== "";
}

/**
 * Records the response on its connection while something can still follow it too early: until its handler has answered,
 * until earlier pipelined responses are sent, and always for the last response of a connection.
 */
function trackActiveResponse(connection: Connection, outgoing: ServerResponse): void {
  const closesConnection = !outgoing.shouldKeepAlive || connection[isClosing] === true;
  const isWritten = outgoing.writableEnded && outgoing.socket !== null && !closesConnection;
  connection[activeResponse] = isWritten ? undefined : outgoing;
  if (!isWritten) outgoing.prependListener("finish", forgetActiveResponse);
}

/**
 * Releases the last response of an idle connection. V8 would copy it, and all it references, at each scavenge, and grow
 * the young generation with the number of survivors: with 64 connections, 30 instead of 165 kB survive a scavenge.
 */
function forgetActiveResponse(this: ServerResponse): void {
  const connection: Connection | null = this.socket;
  if (connection?.[activeResponse] === this) connection[activeResponse] = undefined;
}

/** Closes the connection if the rest of an unread body takes longer than `Limits.bodyTimeoutMs`. */
function limitUpload({ incoming, connection, server }: NodeSource): void {
  if (incoming.complete) return;
  const cancel = TimeInternals.after(server.bodyTimeoutMs, () => connection.destroy(), { keepAlive: false });
  incoming.once("end", cancel).once("close", cancel);
}
