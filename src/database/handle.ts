import type { AsyncLocalStorage } from "node:async_hooks";
import { isError } from "../core/index.ts";
import { Time } from "../time/index.ts";
import type { Answer, Connection } from "./contract.ts";
import { errors } from "./errors.ts";
import { guard } from "./guard.ts";
import { type Executor, type Operations, operations } from "./operations.ts";
import type { Options, StreamOptions, TransactionOptions } from "./options.ts";
import type { Pool } from "./pool.ts";
import { caller } from "./query-log.ts";
import type { Statement } from "./statement.ts";
import { isFailedResult } from "./failed-result.ts";

/** What the work of `query` and `transaction` is given: operations on one connection, until the work ends. */
export interface Handle extends Operations {
  /** A transaction on this connection; inside a transaction, a savepoint. */
  transaction<T>(work: (handle: Handle) => Promise<T> | T, options?: TransactionOptions): Promise<T>;
}

/** What a handle stands for. */
type Level = "connection" | "transaction" | "savepoint";

// These end the whole transaction on at least one of the databases, however deep in savepoints they happen.
const fatal = ["E_DATABASE_DEADLOCK", "E_DATABASE_SERIALIZATION", "E_DATABASE_CONNECTION_LOST"];

// How long a rollback may take before the connection is closed, which rolls back as well.
const rollbackTimeout = 5000;

const raw = new WeakMap<Handle, { readonly connection: Connection; readonly pool: Pool }>();

/** The driver's connection behind a handle, and its pool. For the parts of this room. */
export function connectionOf(handle: Handle): { readonly connection: Connection; readonly pool: Pool } {
  const found = raw.get(handle);
  if (found === undefined) throw errors.E_DATABASE_HANDLE_ENDED();
  return found;
}

/** A connection in use: the state behind a `Handle`. */
export class Scope implements Executor {
  readonly pool: Pool;
  readonly handle: Handle;
  readonly #connection: Connection;
  readonly #ambient: AsyncLocalStorage<Scope | undefined>;
  readonly #level: Level;
  readonly #parent: Scope | undefined;
  readonly #depth: number;
  readonly #running = new Set<Promise<unknown>>();
  readonly #afterCommit: (() => unknown)[] = [];
  #child: { readonly scope: Scope; readonly ended: Promise<void> } | undefined;
  #isEnded = false;
  #failure: unknown;

  constructor(
    pool: Pool,
    connection: Connection,
    ambient: AsyncLocalStorage<Scope | undefined>,
    level: Level,
    parent?: Scope,
  ) {
    this.pool = pool;
    this.#connection = connection;
    this.#ambient = ambient;
    this.#level = level;
    this.#parent = parent;
    this.#depth = parent === undefined ? 0 : parent.#depth + 1;
    this.handle = {
      ...operations(this),
      transaction: (work, options) => this.transaction(work, options ?? {}),
    };
    raw.set(this.handle, { connection, pool });
  }

  /** Whether what is done here is inside a transaction. */
  get isTransaction(): boolean {
    return this.#level !== "connection";
  }

  execute(statement: Statement<unknown>, options: Options | undefined): Answer | Promise<Answer> {
    const scope = this.#innermost();
    const wait = scope.#child?.ended;
    if (wait !== undefined) return wait.then(() => scope.execute(statement, options));
    const [prepared, values] = statement.compile(this.pool.driver.dialect);
    scope.#check();
    options?.signal?.throwIfAborted();
    try {
      const answer = this.pool.run(this.#connection, { prepared, values, at: caller(prepared) });
      return answer instanceof Promise ? scope.#watch(answer, options) : answer;
    } catch (error) {
      scope.#fail(error);
      throw error;
    }
  }

  async *batches(statement: Statement<unknown>, options: StreamOptions | undefined): AsyncGenerator<Answer> {
    const scope = this.#innermost();
    while (scope.#child !== undefined) await scope.#child.ended;
    scope.#check();
    const [prepared, values] = statement.compile(this.pool.driver.dialect);
    try {
      for await (const answer of this.#connection.stream(prepared, values, options?.batch ?? 500)) {
        scope.#check();
        options?.signal?.throwIfAborted();
        yield answer;
      }
    } catch (cause) {
      const error = this.pool.failure(cause, prepared.text);
      if (cause !== options?.signal?.reason) scope.#fail(error);
      throw cause === options?.signal?.reason ? cause : error;
    }
  }

  /** Runs work with this scope as the one that operations join, and ends it. */
  async work<T>(work: (handle: Handle) => Promise<T> | T, options: Options): Promise<T> {
    try {
      const running = this.#ambient.run(this, async () => work(this.handle));
      return await guard(running, options, () => this.#giveUp(running));
    } finally {
      await Promise.allSettled(this.#running);
      this.#isEnded = true;
    }
  }

  /** Runs work in a transaction on this connection. Transactions beside each other run one after the other. */
  async transaction<T>(work: (handle: Handle) => Promise<T> | T, options: TransactionOptions): Promise<T> {
    const scope = this.#innermost();
    while (scope.#child !== undefined) await scope.#child.ended;
    scope.#check();
    options.signal?.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const level = scope.isTransaction ? "savepoint" : "transaction";
    const inner = new Scope(this.pool, this.#connection, this.#ambient, level, scope);
    scope.#child = { scope: inner, ended: promise };
    try {
      if (scope.#running.size > 0) await Promise.allSettled(scope.#running);
      return await inner.#transact(work, options);
    } finally {
      scope.#child = undefined;
      resolve(undefined);
    }
  }

  /** What was committed and asks for something to be done, in this scope or inside it. */
  get committed(): readonly (() => unknown)[] {
    return this.#afterCommit;
  }

  /** Runs work once the outermost transaction is committed; forgotten when one around it is rolled back. */
  afterCommit(work: () => unknown): void {
    this.#check();
    this.#afterCommit.push(work);
  }

  async #transact<T>(work: (handle: Handle) => Promise<T> | T, options: TransactionOptions): Promise<T> {
    await this.#control(() => this.#begin(options), "begin");
    try {
      const value = await this.work(work, options);
      if (isFailedResult(value)) {
        await this.#rollback();
        return value;
      }
      if (this.#failure !== undefined)
        throw errors.E_DATABASE_TRANSACTION_ABORTED(this.#failure).causedBy(this.#failure);
      await this.#commit();
      return value;
    } catch (error) {
      this.#isEnded = true;
      await this.#rollback();
      throw error;
    }
  }

  async #begin({ isolation, readOnly = false }: TransactionOptions): Promise<void> {
    if (this.#level === "savepoint") await this.#connection.script(`savepoint ${this.#name}`);
    else await this.#connection.begin({ isolation, readOnly });
  }

  async #commit(): Promise<void> {
    if (this.#level === "savepoint") {
      await this.#control(() => this.#connection.script(`release savepoint ${this.#name}`), "release savepoint");
    } else await this.#commitAll();
    if (this.#parent !== undefined) this.#parent.#afterCommit.push(...this.#afterCommit);
  }

  async #commitAll(): Promise<void> {
    try {
      await this.#connection.commit();
    } catch (cause) {
      const error = this.pool.failure(cause, "commit");
      throw isError(error, "E_DATABASE_CONNECTION_LOST") ? errors.E_DATABASE_COMMIT_UNKNOWN().causedBy(cause) : error;
    }
  }

  /** Never throws: a connection that cannot roll back is closed, which rolls back as well. */
  async #rollback(): Promise<void> {
    const connection = this.#connection;
    if (connection.state !== "transaction") return;
    const cancel = Time.after(rollbackTimeout, () => void connection.close());
    try {
      if (this.#level === "savepoint") {
        // The savepoint itself outlives its rollback; the next of its name would be put on top of it.
        await connection.script(`rollback to savepoint ${this.#name}`);
        await connection.script(`release savepoint ${this.#name}`);
      } else await connection.rollback();
    } catch {
      await connection.close();
    } finally {
      cancel();
    }
  }

  async #control(step: () => void | Promise<void>, text: string): Promise<void> {
    try {
      await step();
    } catch (cause) {
      const error = this.pool.failure(cause, text);
      if (this.#parent !== undefined) this.#parent.#fail(error);
      throw error;
    }
  }

  get #name(): string {
    return `limmat_${this.#depth}`;
  }

  /** Where an operation belongs that is called on this scope: called from inside a nested one, to that. */
  #innermost(): Scope {
    if (this.#child === undefined) return this;
    const current = this.#ambient.getStore();
    for (let scope = current; scope !== undefined; scope = scope.#parent) if (scope === this) return current as Scope;
    return this;
  }

  #check(): void {
    if (this.#isEnded) throw errors.E_DATABASE_HANDLE_ENDED();
    if (this.#failure !== undefined) throw errors.E_DATABASE_TRANSACTION_ABORTED(this.#failure).causedBy(this.#failure);
  }

  /** After a failed statement PostgreSQL refuses the rest of a transaction; so it is on all. */
  #fail(error: unknown): void {
    if (!this.isTransaction) return;
    this.#failure ??= error;
    if (this.#parent !== undefined && fatal.some((code) => isError(error, code))) this.#parent.#fail(error);
  }

  #watch(answer: Promise<Answer>, options: Options | undefined): Promise<Answer> {
    this.#running.add(answer);
    const watched = answer.then(
      (value) => {
        this.#running.delete(answer);
        return value;
      },
      (error: unknown) => {
        this.#running.delete(answer);
        this.#fail(error);
        throw error;
      },
    );
    if (options === undefined) return watched;
    return guard(watched, options, () => {
      this.#fail(errors.E_DATABASE_TIMEOUT(options.timeout ?? 0));
      this.pool.giveUp(this.#connection, watched);
    });
  }

  #giveUp(running: Promise<unknown>): void {
    this.#isEnded = true;
    running.catch(() => {});
    const statements = Promise.allSettled(this.#running);
    if (this.#running.size > 0) this.pool.giveUp(this.#connection, statements);
  }
}
