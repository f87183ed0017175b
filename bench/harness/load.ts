import { ClientConnection, type Target } from "./client.ts";

/** Result of one measurement. Times in µs. */
export interface Load {
  readonly requests: number;
  /** Number of responses with an unexpected status and of failed connections. */
  readonly errors: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

export interface LoadOptions extends Target {
  /** Bytes of whole requests, sent in turn. */
  readonly requests: readonly Buffer[];
  /** Expected statuses. */
  readonly statuses: readonly number[];
  readonly connections: number;
  readonly seconds: number;
}

/** Loads a server and measures its responses. */
export type Loader = (options: LoadOptions) => Promise<Load>;

/** Sends requests on `connections` keep-alive connections, one at a time on each, and measures every response. */
export const load: Loader = (options) => loadInTurn(options, Number.POSITIVE_INFINITY);

/** Returns a loader that opens a new connection after each `count` requests. Connecting is part of the first one's time. */
export const loadOnShortConnections =
  (count: number): Loader =>
  (options) =>
    loadInTurn(options, count);

async function loadInTurn(options: LoadOptions, requestsPerConnection: number): Promise<Load> {
  const { requests, connections } = options;
  const recorder = new Recorder(options.statuses);
  const until = recorder.from + options.seconds * 1000;
  let next = 0;
  const converse = (): Promise<void> =>
    new Promise((resolve) => {
      let sent = 0;
      let count = 0;
      const connection = new ClientConnection(options, (status) => {
        recorder.add(status, performance.now() - sent);
        count += 1;
        if (count % requestsPerConnection === 0) connection.close();
        send();
      });
      const send = (): void => {
        sent = performance.now();
        if (sent < until) connection.send(requests[next++ % requests.length] as Buffer);
        else {
          connection.close();
          resolve();
        }
      };
      send();
    });
  await Promise.all(Array.from({ length: connections }, converse));
  return recorder.result();
}

/** Collects the responses of one measurement. */
export class Recorder {
  /** Time of the start, in milliseconds. */
  readonly from: number = performance.now();
  readonly #statuses: readonly number[];
  readonly #latencies: number[] = [];
  #errors = 0;

  constructor(statuses: readonly number[]) {
    this.#statuses = statuses;
  }

  add(status: number, milliseconds: number): void {
    this.#latencies.push(milliseconds);
    if (!this.#statuses.includes(status)) this.#errors += 1;
  }

  result(): Load {
    const seconds = (performance.now() - this.from) / 1000;
    const sorted = Float64Array.from(this.#latencies).sort();
    const at = (share: number): number => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 1000);
    const [p50, p99, p999] = [at(0.5), at(0.99), at(0.999)];
    return { requests: sorted.length - this.#errors, errors: this.#errors, seconds, p50, p99, p999 };
  }
}
