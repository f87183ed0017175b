import { LanguageInternals } from "../../language/index.ts";
import { Time, TimeInternals } from "../../time/index.ts";
import { errors } from "../errors.ts";

/** Event of an event stream (HTML, "Server-sent events"). */
export interface ServerEvent {
  /** Text of the event. Line breaks are preserved. */
  readonly data: string;
  /** Type of the event. No line breaks. Default `message`. */
  readonly event?: string;
  /** Value that the browser sends as `Last-Event-ID` when it reconnects. No line breaks, no NUL. */
  readonly id?: string;
  /** Milliseconds after which the browser reconnects when the connection is lost. */
  readonly retry?: number;
}

/** Options of `Response.events`. */
export interface EventOptions {
  /** Milliseconds of silence after which a comment is sent, so that proxies keep the connection. Default 15 s. */
  readonly heartbeatMs?: number;
}

/** Body of an event stream. It begins with a comment, which opens the connection, and ends when the server stops. */
export class EventStreamBody implements AsyncIterable<string> {
  readonly #events: AsyncIterable<ServerEvent>;
  readonly #heartbeatMs: number;

  constructor(events: AsyncIterable<ServerEvent>, { heartbeatMs = Time.seconds(15) }: EventOptions = {}) {
    this.#events = events;
    this.#heartbeatMs = heartbeatMs;
  }

  /** Returns the body with events that are made inside of `run`. */
  in(run: <Result>(next: () => Result) => Result): EventStreamBody {
    return new EventStreamBody(LanguageInternals.iterateIn(this.#events, run), { heartbeatMs: this.#heartbeatMs });
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return new EventIterator(this.#events[Symbol.asyncIterator](), this.#heartbeatMs);
  }
}

type NextResult = { readonly result: IteratorResult<string> } | { readonly error: unknown };

/** Iterator of encoded events. A generator could not end while it waits for the next event. */
class EventIterator implements AsyncIterator<string> {
  readonly #events: AsyncIterator<ServerEvent>;
  readonly #heartbeatMs: number;
  #hasStarted = false;
  #hasEnded = false;
  #isRequestPending = false;
  /** Result that arrived while no caller waited, because a heartbeat had been sent instead. */
  #bufferedResult: NextResult | undefined;
  #deliver: ((result: NextResult) => void) | undefined;
  #waitingSinceMs = 0;
  #cancelHeartbeat: (() => void) | undefined;

  constructor(events: AsyncIterator<ServerEvent>, heartbeatMs: number) {
    this.#events = events;
    this.#heartbeatMs = heartbeatMs;
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.#hasEnded) return end;
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      return comment;
    }
    if (!this.#isRequestPending) this.#requestNext();
    const nextResult = this.#bufferedResult ?? (await this.#waitForResult());
    this.#bufferedResult = undefined;
    if ("error" in nextResult) throw nextResult.error;
    return nextResult.result;
  }

  async return(): Promise<IteratorResult<string>> {
    if (this.#hasEnded) return end;
    this.#hasEnded = true;
    this.#cancelHeartbeat?.();
    this.#deliver?.({ result: end });
    await this.#events.return?.();
    return end;
  }

  #requestNext(): void {
    this.#isRequestPending = true;
    const settle = (nextResult: NextResult): void => {
      this.#isRequestPending = false;
      if ("error" in nextResult || nextResult.result.done === true) this.#cancelHeartbeat?.();
      if (this.#deliver === undefined) this.#bufferedResult = nextResult;
      else this.#deliver(nextResult);
    };
    this.#events.next().then(
      (result) => settle(encodeResult(result)),
      (error: unknown) => settle({ error }),
    );
  }

  #waitForResult(): Promise<NextResult> {
    return new Promise((resolve) => {
      this.#waitingSinceMs = Time.monotonic();
      if (this.#cancelHeartbeat === undefined) this.#startHeartbeat(this.#heartbeatMs);
      this.#deliver = (nextResult) => {
        this.#deliver = undefined;
        resolve(nextResult);
      };
    });
  }

  /** Starts the one timer of a stream. Without a timer for each event, an event takes 0.93 of the time. */
  #startHeartbeat(delayMs: number): void {
    const cancel = TimeInternals.after(
      delayMs,
      () => {
        this.#cancelHeartbeat = undefined;
        const leftMs = this.#waitingSinceMs + this.#heartbeatMs - Time.monotonic();
        if (leftMs > 0) this.#startHeartbeat(leftMs);
        else this.#deliver?.({ result: comment });
      },
      { keepAlive: false },
    );
    this.#cancelHeartbeat = () => {
      this.#cancelHeartbeat = undefined;
      cancel();
    };
  }
}

function encodeResult({ done, value }: IteratorResult<ServerEvent>): NextResult {
  if (done === true) return { result: end };
  try {
    return { result: { done: false, value: encodeEvent(value) } };
  } catch (error) {
    return { error };
  }
}

const end: IteratorResult<string> = { done: true, value: undefined };
const comment: IteratorResult<string> = { done: false, value: ":\n\n" };

/** Formats an event for the wire. @throws E_EVENT_INVALID if `event` or `id` contains a line break or NUL */
export function encodeEvent({ data, event, id, retry }: ServerEvent): string {
  let text = "";
  if (event !== undefined) text += `event: ${checkLine(event, "event")}\n`;
  if (id !== undefined) text += `id: ${checkLine(id, "id")}\n`;
  if (retry !== undefined) text += `retry: ${Math.max(0, Math.trunc(retry))}\n`;
  if (!/[\r\n]/.test(data)) return `${text}data: ${data}\n\n`;
  for (const line of data.split(/\r\n|\r|\n/)) text += `data: ${line}\n`;
  return `${text}\n`;
}

function checkLine(text: string, field: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it looks for
  if (/[\r\n\x00]/.test(text)) throw errors.E_EVENT_INVALID(field);
  return text;
}
