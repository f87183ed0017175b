import { Time } from "../../time/index.ts";
import { errors } from "../errors.ts";

/** One event that a page is sent (HTML, "Server-sent events"). */
export interface ServerEvent {
  /** What the page gets; line breaks are kept. */
  readonly data: string;
  /** The kind of event, `message` when it is missing. No line breaks. */
  readonly event?: string;
  /** What the browser sends back as `Last-Event-ID` when it connects anew. No line breaks, no NUL. */
  readonly id?: string;
  /** Milliseconds after which the browser connects anew when the connection is lost. */
  readonly retry?: number;
}

/** How events are sent. */
export interface EventOptions {
  /** Milliseconds of silence after which a comment is sent, so that proxies keep the connection. Default 15 s. */
  readonly heartbeat?: number;
}

/**
 * The body of an event stream. It begins with a comment, so that the browser knows at once that it is connected, and ends
 * when the server stops, so that browsers go to another one.
 */
export class EventBody implements AsyncIterable<string> {
  readonly #events: AsyncIterable<ServerEvent>;
  readonly #heartbeat: number;

  constructor(events: AsyncIterable<ServerEvent>, { heartbeat = Time.seconds(15) }: EventOptions = {}) {
    this.#events = events;
    this.#heartbeat = heartbeat;
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return new EventIterator(this.#events[Symbol.asyncIterator](), this.#heartbeat);
  }
}

type Outcome = { readonly result: IteratorResult<string> } | { readonly error: unknown };

/** An iterator and not a generator: it must end at once, even while it waits for the next event. */
class EventIterator implements AsyncIterator<string> {
  readonly #events: AsyncIterator<ServerEvent>;
  readonly #heartbeat: number;
  #isBegun = false;
  #isEnded = false;
  #isAsked = false;
  /** What came while nobody waited: a comment had been sent instead. */
  #arrived: Outcome | undefined;
  #deliver: ((outcome: Outcome) => void) | undefined;

  constructor(events: AsyncIterator<ServerEvent>, heartbeat: number) {
    this.#events = events;
    this.#heartbeat = heartbeat;
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.#isEnded) return end;
    if (!this.#isBegun) {
      this.#isBegun = true;
      return comment;
    }
    if (!this.#isAsked) this.#ask();
    const outcome = this.#arrived ?? (await this.#wait());
    this.#arrived = undefined;
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  }

  async return(): Promise<IteratorResult<string>> {
    if (this.#isEnded) return end;
    this.#isEnded = true;
    this.#deliver?.({ result: end });
    await this.#events.return?.();
    return end;
  }

  #ask(): void {
    this.#isAsked = true;
    const settle = (outcome: Outcome): void => {
      this.#isAsked = false;
      if (this.#deliver === undefined) this.#arrived = outcome;
      else this.#deliver(outcome);
    };
    this.#events
      .next()
      .then(({ done, value }) => (done === true ? end : { done: false, value: encodeEvent(value) }))
      .then(
        (result) => settle({ result }),
        (error: unknown) => settle({ error }),
      );
  }

  #wait(): Promise<Outcome> {
    return new Promise((resolve) => {
      const cancel = Time.after(this.#heartbeat, () => this.#deliver?.({ result: comment }), { keepAlive: false });
      this.#deliver = (outcome) => {
        cancel();
        this.#deliver = undefined;
        resolve(outcome);
      };
    });
  }
}

const end: IteratorResult<string> = { done: true, value: undefined };
const comment: IteratorResult<string> = { done: false, value: ":\n\n" };

/**
 * An event as it goes over the wire.
 *
 * @throws E_EVENT_INVALID when `event` or `id` holds what would end its line.
 */
export function encodeEvent({ data, event, id, retry }: ServerEvent): string {
  let text = "";
  if (event !== undefined) text += `event: ${oneLine(event, "event")}\n`;
  if (id !== undefined) text += `id: ${oneLine(id, "id")}\n`;
  if (retry !== undefined) text += `retry: ${Math.max(0, Math.trunc(retry))}\n`;
  for (const line of data.split(/\r\n|\r|\n/)) text += `data: ${line}\n`;
  return `${text}\n`;
}

function oneLine(text: string, name: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it looks for
  if (/[\r\n\x00]/.test(text)) throw errors.E_EVENT_INVALID(name);
  return text;
}
