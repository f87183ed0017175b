import { AsyncLocalStorage } from "node:async_hooks";
import type { Socket } from "node:net";
import { Time, TimeInternals } from "../../../time/index.ts";
import { makeExchange } from "../exchange.ts";
import type { ServerDefinition } from "../host.ts";
import { formatKeepAlive } from "../response-head.ts";
import { send } from "../send.ts";
import type { ServerState } from "../server-state.ts";
import { Connection, type ConnectionContext, type WaitReason } from "./connection.ts";
import type { SharedReceiver } from "./internals.ts";
import type { ParserRules } from "./parser.ts";
import type { NetSource } from "./source.ts";

const maxIntervalMs = Time.seconds(1);

/** All HTTP/1.1 connections of a server, and what they share. */
export class Connections implements ConnectionContext {
  readonly rules: ParserRules;
  readonly waitLimits: Readonly<Record<WaitReason, number>>;
  readonly state: ServerState;
  readonly keepAliveLines: string;
  readonly handle: (source: NetSource) => void;
  readonly inOwnContext: <Argument>(run: (argument: Argument) => void, argument: Argument) => void;
  readonly receiver: SharedReceiver | undefined;
  readonly #all = new Set<Connection>();
  readonly #intervalMs: number;
  #isScheduled = false;

  /** @param receiver shared receive buffer; `undefined` for connections that cannot use it */
  constructor(
    { limits, state, observe }: Pick<ServerDefinition, "limits" | "state" | "observe">,
    receiver: SharedReceiver | undefined,
  ) {
    const { maxHeaderBytes, maxHeaders, headerTimeoutMs, bodyTimeoutMs, keepAliveMs, stallTimeoutMs } = limits;
    this.rules = Object.freeze({ maxHeaderBytes, maxHeaders, allowedHosts: state.allowedHosts });
    this.waitLimits = {
      head: headerTimeoutMs,
      body: bodyTimeoutMs,
      request: keepAliveMs < 1 ? Number.POSITIVE_INFINITY : keepAliveMs,
      answer: stallTimeoutMs,
    };
    this.state = state;
    this.keepAliveLines = formatKeepAlive(keepAliveMs).text;
    this.inOwnContext = AsyncLocalStorage.snapshot();
    this.receiver = receiver;
    this.#intervalMs = Math.min(maxIntervalMs, ...Object.values(this.waitLimits));
    const exchange = makeExchange<NetSource, void>(
      {
        send: (source, _request, response) => {
          source.begin(response);
          return send(source, response, state.stopping);
        },
        canSend: (source) => !source.isHeadSent && !source.isDisconnected,
        abort: (source) => source.abort(),
      },
      state,
      observe,
    );
    this.handle = (source) => void exchange(source, source.head.path, source.head.rejection);
  }

  /** Answers the requests of a connection. */
  add(socket: Socket): void {
    this.#all.add(new Connection(socket, this));
    this.#schedule();
  }

  delete(connection: Connection): void {
    this.#all.delete(connection);
  }

  /** Closes the connections that wait for a request. */
  closeIdle(): void {
    for (const connection of this.#all) if (connection.isIdle) connection.destroy();
  }

  /** Checks all connections once per interval: a timer per request would cost more than its parsing. */
  #schedule(): void {
    if (this.#isScheduled || this.#all.size === 0) return;
    this.#isScheduled = true;
    // Requests that arrived while the process was busy are read before a connection counts as idle.
    TimeInternals.after(this.#intervalMs, () => void setImmediate(() => this.#check()), { keepAlive: false });
  }

  #check(): void {
    this.#isScheduled = false;
    const nowMs = Time.monotonic();
    for (const connection of this.#all) connection.check(nowMs);
    this.#schedule();
  }
}
