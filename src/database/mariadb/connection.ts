import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { Time } from "../../time/index.ts";
import type { Answer, Begin, Connection, Prepared } from "../contract.ts";
import { errors } from "../errors.ts";
import type { ClientColumn, ClientConnection, ClientResult } from "./client.ts";
import { RowStream } from "./row-stream.ts";
import { convertRows, noColumns, type Shape, shapeOf } from "./shape.ts";
import { Turns } from "./turns.ts";
import { Unanswered } from "./unanswered.ts";
import { bind } from "./value.ts";

/** What a connection is made of. */
export interface ConnectionParts {
  readonly client: ClientConnection;
  readonly socket: Socket;
  readonly database: string;
  /** Asks the server, over a connection of its own, to end what another does, or that one as a whole. */
  readonly kill: (what: "query" | "connection", thread: number) => Promise<void>;
}

// SERVER_STATUS_IN_TRANS
const inTransaction = 1;

// How long the rest of a stream that was left may come before its statement is killed, and how long a connection may
// take to say good-bye, in milliseconds.
const leaveTimeout = 20;
const endTimeout = 500;

/**
 * A connection of the package `mariadb`. Outside of transactions, statements are sent without waiting for the answers
 * to those before. In a transaction each waits: a deadlock makes the server roll back at once, and what was sent
 * already would be committed on its own.
 */
export class MariadbConnection implements Connection {
  readonly #parts: ConnectionParts;
  readonly #client: ClientConnection;
  readonly #shapes = new Map<Prepared, Shape>();
  readonly #turns = new Turns();
  readonly #unanswered = new Unanswered();
  #stream: RowStream | undefined;
  #isInTransaction = false;
  #isAbandoned = false;
  #isGathering = false;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.#client = parts.client;
  }

  get state(): "idle" | "transaction" | "closed" {
    if (this.#isAbandoned || !this.#client.isValid()) return "closed";
    // The client sets the flag after each error too; a needless rollback does no harm.
    return this.#isInTransaction || ((this.#client.info?.status ?? 0) & inTransaction) !== 0 ? "transaction" : "idle";
  }

  run(statement: Prepared, values: readonly unknown[]): Promise<Answer> {
    if (!this.#isInTransaction && this.#turns.areFree) return this.#run(statement, values);
    const answer = this.#take(() => this.#run(statement, values));
    if (this.#isInTransaction) this.#turns.first(answer, this.#isStrict);
    return answer;
  }

  async *stream(statement: Prepared, values: readonly unknown[], size: number): AsyncGenerator<Answer> {
    const prepared = await this.#take(() => this.#unanswered.track(this.#client.prepare(statement.text)));
    const stream = await this.#take(async () => new RowStream(prepared.executeStream(bind(values)), size));
    this.#stream = stream;
    this.#turns.first(this.#unanswered.trackPatiently(stream.ended), this.#isStrict);
    let shape: Shape | undefined;
    try {
      for await (const { rows, columns } of stream) {
        if (shape?.given !== columns) shape = this.#shape(statement, columns);
        yield { columns: shape.columns, rows: convertRows(rows, shape), affected: 0 };
      }
    } finally {
      if (!stream.isEnded) await this.#leave(stream);
      if (this.#stream === stream) this.#stream = undefined;
      prepared.close();
    }
  }

  async script(text: string): Promise<void> {
    const isSavepoint = /^(?:savepoint|release|rollback)\b/.test(text);
    // What failed since the savepoint is undone.
    if (text.startsWith("rollback")) this.#turns.reset();
    const done = this.#take(() =>
      isSavepoint ? this.#control(text) : this.#unanswered.trackPatiently(this.#client.query(text)),
    );
    if (this.#isInTransaction) this.#turns.first(done, this.#isStrict);
    await done;
  }

  async begin({ isolation, readOnly }: Begin): Promise<void> {
    await this.#take(() => {
      this.#isInTransaction = true;
      const level = isolation === undefined ? undefined : this.#control(`set transaction isolation level ${isolation}`);
      return Promise.all([level, this.#control(readOnly ? "start transaction read only" : "start transaction")]);
    });
  }

  commit(): Promise<void> {
    return this.#end("commit");
  }

  rollback(): Promise<void> {
    this.#turns.reset();
    return this.#end("rollback");
  }

  async lock(name: string): Promise<boolean> {
    return Number(await this.#ask("select get_lock(?, 0)", this.#lockName(name))) === 1;
  }

  async unlock(name: string): Promise<void> {
    await this.#ask("select release_lock(?)", this.#lockName(name));
  }

  async empty(tables: readonly string[]): Promise<void> {
    await this.#control("set foreign_key_checks = 0");
    try {
      await this.begin({ isolation: undefined, readOnly: false });
      for (const table of tables) await this.#control(`delete from \`${table.replaceAll("`", "``")}\``);
      await this.commit();
    } finally {
      if (this.#isInTransaction) await this.rollback();
      await this.#control("set foreign_key_checks = 1");
    }
  }

  cancel(): Promise<void> {
    const { threadId } = this.#client;
    if (threadId === null || this.state === "closed") return Promise.resolve();
    const killed = this.#parts.kill("query", threadId);
    // What is sent before the server has done it would be killed instead.
    this.#turns.bar(killed);
    return killed;
  }

  async close(): Promise<void> {
    if (this.state === "closed") return;
    if (this.#unanswered.count > 0) {
      this.abandon(errors.E_DATABASE_CONNECTION_LOST());
      return;
    }
    const { socket } = this.#parts;
    const stop = Time.after(endTimeout, () => socket.destroy());
    await this.#client.end().catch(() => {});
    stop();
    socket.destroy();
  }

  /** Whether the server has been owing an answer for longer than so many milliseconds. */
  isLate(timeout: number): boolean {
    return this.#unanswered.isLate(timeout);
  }

  /** Ends the connection, and with this error what waits for an answer. */
  abandon(reason: Error): void {
    const { socket, kill } = this.#parts;
    const { threadId } = this.#client;
    this.#isAbandoned = true;
    this.#unanswered.giveUp(reason);
    // The client takes it as the server's good-bye, and fails all that waits.
    socket.emit("end");
    socket.destroy();
    // The server does not see that nobody waits any more, and would go on with its statement and hold its locks.
    if (threadId !== null) kill("connection", threadId).catch(() => {});
  }

  readonly #isStrict = (): boolean => this.#isInTransaction;

  #take<T>(send: () => Promise<T>): Promise<T> {
    this.#stream?.flow();
    return this.#turns.take(send);
  }

  #control(text: string): Promise<unknown> {
    return this.#unanswered.track(this.#client.query(text));
  }

  async #end(text: "commit" | "rollback"): Promise<void> {
    await this.#take(() => this.#control(text));
    this.#isInTransaction = false;
    this.#turns.reset();
  }

  async #ask(text: string, value: string): Promise<unknown> {
    const [rows] = await this.#take(() => this.#unanswered.track(this.#client.execute(text, [value])));
    return Array.isArray(rows) ? rows[0]?.[0] : undefined;
  }

  /** Lets all that is sent in this turn of the event loop go at once: the system call costs more than the rest. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#parts.socket.cork();
    process.nextTick(this.#release);
  }

  readonly #release = (): void => {
    this.#isGathering = false;
    this.#parts.socket.uncork();
  };

  #run(statement: Prepared, values: readonly unknown[]): Promise<Answer> {
    if (this.#unanswered.count > 0) this.#gather();
    return this.#unanswered.read(this.#client.execute(statement.text, bind(values)), (result) =>
      this.#answer(statement, result),
    );
  }

  #answer(statement: Prepared, result: ClientResult): Answer {
    const [rows, columns] = firstOf(result);
    if (!Array.isArray(rows)) return { columns: noColumns, rows: [], affected: rows.affectedRows };
    const shape = this.#shape(statement, columns);
    const changes = !statement.reads && /^\s*(?:insert|replace|delete)\b/i.test(statement.text);
    return { columns: shape.columns, rows: convertRows(rows, shape), affected: changes ? rows.length : 0 };
  }

  #shape(statement: Prepared, columns: readonly ClientColumn[]): Shape {
    const known = this.#shapes.get(statement);
    if (known !== undefined && known.given === columns) return known;
    const shape = shapeOf(columns, known);
    if (statement.name !== undefined) this.#shapes.set(statement, shape);
    return shape;
  }

  /** Ends a stream of which no more is wanted: what is left of a short one comes by itself, a long one is killed. */
  async #leave(stream: RowStream): Promise<void> {
    stream.discard();
    const stop = Time.after(leaveTimeout, () => void this.cancel().catch(() => this.close()));
    await stream.ended.catch(() => {});
    stop();
  }

  /** Locks are known to the whole server, by at most 64 letters; ours belong to the database. */
  #lockName(name: string): string {
    return createHash("sha256").update(`${this.#parts.database} ${name}`).digest("hex");
  }
}

/** A procedure answers several times; the first is given. */
function firstOf(result: ClientResult): ClientResult {
  const [rows, columns] = result as readonly [unknown, readonly unknown[]];
  return Array.isArray(columns[0]) && Array.isArray(rows) ? ([rows[0], columns[0]] as unknown as ClientResult) : result;
}
