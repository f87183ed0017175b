import type { Server } from "node:http";
import { Duplex } from "node:stream";

/** A connection in memory: what the server does is measured without the system's part in it. */
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

/** What one request costs. */
export interface Cost {
  /** Microseconds of processor time, the median of the rounds. */
  readonly time: number;
  /** Bytes that are allocated on the heap of JavaScript. */
  readonly bytes: number;
}

/** Asks a server again and again, each time after the last answer. */
export class Client {
  readonly #connection = new Connection();

  constructor(server: Server) {
    server.emit("connection", this.#connection);
  }

  /** The answer to one request, as it was written. */
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
      // Answers of one piece, which all answers of the works are.
      this.#connection.onWrite = () =>
        --left === 0 ? resolve() : void setImmediate(() => this.#connection.push(sent));
      this.#connection.push(sent);
    });
  }
}
