import type { Server } from "node:http";
import { Duplex } from "node:stream";

/** Connection in memory. Excludes the network stack of the operating system from the measurement. */
class Connection extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  onWrite: (chunk: Buffer) => void = () => {};

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    done();
    this.onWrite(chunk);
  }

  setTimeout(): this {
    return this;
  }
}

/** Cost of one request. */
export interface Cost {
  /** CPU time in microseconds, the median of the rounds. */
  readonly time: number;
  /** Bytes allocated on the JavaScript heap. */
  readonly bytes: number;
}

/** Client that sends one request after the other, each after the response to the last one. */
export class Client {
  readonly #connection = new Connection();

  constructor(server: Server) {
    server.emit("connection", this.#connection);
  }

  /** Sends a request and returns the raw response. */
  ask(request: string): Promise<string> {
    return new Promise((resolve) => {
      this.#connection.onWrite = (chunk) => resolve(chunk.toString("latin1"));
      this.#connection.push(request);
    });
  }

  async measure(request: string, rounds: number, count: number): Promise<Cost> {
    await this.#run(request, 3 * count);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const before = process.cpuUsage();
      await this.#run(request, count);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / count);
    }
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    await this.#run(request, 5000);
    const bytes = Math.round((process.memoryUsage().heapUsed - before) / 5000);
    return { time: times.toSorted((a, b) => a - b)[rounds >> 1] ?? Number.NaN, bytes };
  }

  #run(request: string, count: number): Promise<void> {
    const sent = Buffer.from(request);
    return new Promise((resolve) => {
      let left = count;
      // All responses of the benchmarks are written in one chunk.
      this.#connection.onWrite = () =>
        --left === 0 ? resolve() : void setImmediate(() => this.#connection.push(sent));
      this.#connection.push(sent);
    });
  }
}
