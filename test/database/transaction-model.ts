// Transactions with random contents, held against a model: which rows are stored, and which statements a connection sees.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import { type Database, Row, sql, type TransactionCallback } from "limmat/database";
import { waitFor } from "limmat/testing";
import type { Connection, Driver } from "../../src/database/contract.ts";
import { makeDatabase } from "../../src/database/database.ts";

/** Step of a callback. Durations are turns of the event loop. */
type Step =
  | { readonly kind: "insert"; readonly isAwaited: boolean }
  | { readonly kind: "late insert"; readonly turns: number; readonly usesHandle: boolean }
  | { readonly kind: "after commit" }
  | { readonly kind: "failing statement" }
  | { readonly kind: "stream"; readonly turns: number; readonly isLeft: boolean }
  | { readonly kind: "wait"; readonly turns: number }
  | { readonly kind: "lose connection" }
  | { readonly kind: "all" | "all settled"; readonly steps: readonly Step[] }
  | { readonly kind: "nested"; readonly scope: ScopePlan; readonly isAwaited: boolean; readonly isSwallowed: boolean };

/** Transaction, or on the outermost level also the use of one connection. */
export interface ScopePlan {
  readonly isQuery: boolean;
  readonly limit: { readonly kind: "none" | "timeout" } | { readonly kind: "abort"; readonly turns: number };
  readonly steps: readonly Step[];
  readonly end: "return" | "throw" | "failed result";
}

const turns = fc.nat(4);
const arbitraries = fc.letrec<{ scope: ScopePlan; step: Step }>((tie) => ({
  scope: fc.record<ScopePlan>({
    isQuery: fc.nat(3).map((number) => number === 0),
    limit: fc.oneof(
      { weight: 4, arbitrary: fc.constant({ kind: "none" } as const) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("abort" as const), turns: fc.nat(12) }) },
      { weight: 1, arbitrary: fc.constant({ kind: "timeout" } as const) },
    ),
    steps: fc.array(tie("step"), { maxLength: 5 }),
    end: fc.constantFrom("return", "return", "return", "throw", "failed result"),
  }),
  step: fc.oneof(
    { depthSize: "small" },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("insert" as const), isAwaited: fc.nat(4).map(Boolean) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("late insert" as const), turns: fc.nat(15), usesHandle: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "after commit" } as const) },
    { weight: 1, arbitrary: fc.constant({ kind: "failing statement" } as const) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("stream" as const), turns, isLeft: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait" as const), turns }) },
    {
      weight: 3,
      arbitrary: fc
        .nat(12)
        .map((n) => (n === 0 ? ({ kind: "lose connection" } as const) : ({ kind: "wait", turns: 0 } as const))),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom("all" as const, "all settled" as const),
        steps: fc.array(tie("step"), { minLength: 2, maxLength: 3 }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("nested" as const),
        scope: tie("scope"),
        isAwaited: fc.nat(4).map(Boolean),
        isSwallowed: fc.boolean(),
      }),
    },
  ),
}));

/** Streams and transactions at the same time on one connection. */
const sharedConnection: fc.Arbitrary<ScopePlan> = fc
  .array(
    fc.oneof(
      fc.record({ kind: fc.constant("stream" as const), turns, isLeft: fc.boolean() }),
      fc.record({
        kind: fc.constant("nested" as const),
        scope: fc.record({
          isQuery: fc.constant(false),
          limit: fc.constant({ kind: "none" } as const),
          steps: fc.array(
            fc.oneof(
              fc.record({ kind: fc.constant("insert" as const), isAwaited: fc.constant(true) }),
              fc.record({ kind: fc.constant("wait" as const), turns }),
            ),
            { minLength: 1, maxLength: 4 },
          ),
          end: fc.constantFrom("return" as const, "throw" as const),
        }),
        isAwaited: fc.constant(true),
        isSwallowed: fc.constant(true),
      }),
    ),
    { minLength: 2, maxLength: 4 },
  )
  .map((steps) => ({ isQuery: true, limit: { kind: "none" }, steps: [{ kind: "all", steps }], end: "return" }));

/** Scopes that run at the same time on a pool of two connections. */
export const plans: fc.Arbitrary<readonly ScopePlan[]> = fc.array(
  fc.oneof({ weight: 9, arbitrary: arbitraries.scope }, { weight: 1, arbitrary: sharedConnection }),
  { minLength: 1, maxLength: 3 },
);

/** Event on a connection. A statement is the number of the row that it inserts. */
type ConnectionEvent = "begin" | "end" | { readonly script: string } | { readonly row: number };

/** Returns a driver that records what its connections are told. */
function recording(driver: Driver, record: (connection: number, event: ConnectionEvent) => void): Driver {
  let count = 0;
  const connect = async (kind: "read" | "write"): Promise<Connection> => {
    const connection = await driver.connect(kind);
    const number = count++;
    const run = connection.run.bind(connection);
    const script = connection.script.bind(connection);
    const begin = connection.begin.bind(connection);
    const commit = connection.commit.bind(connection);
    const rollback = connection.rollback.bind(connection);
    connection.run = (statement, values) => {
      if (statement.text.startsWith("insert into m_rows") && connection.state !== "closed")
        record(number, { row: Number(values[0]) });
      return run(statement, values);
    };
    connection.script = (text) => {
      if (connection.state !== "closed") record(number, { script: text });
      return script(text);
    };
    connection.begin = (options) => {
      record(number, "begin");
      return begin(options);
    };
    connection.commit = () => {
      if (connection.state !== "closed") record(number, "end");
      return commit();
    };
    connection.rollback = () => {
      if (connection.state !== "closed") record(number, "end");
      return rollback();
    };
    return connection;
  };
  return { ...driver, connect };
}

/** Scope of a run, and what became of it. */
interface ScopeRecord {
  readonly parent: ScopeRecord | undefined;
  readonly root: number;
  readonly isTransaction: boolean;
  outcome: "running" | "committed" | "rolled back" | "unknown";
}

interface RowRecord {
  readonly id: number;
  readonly scope: ScopeRecord;
  outcome: "running" | "accepted" | "refused";
}

/** Database on which plans run. */
export interface ModelledDatabase {
  readonly database: Database;
  /** Runs scopes at the same time, and compares the outcome with the model. */
  readonly check: (scopes: readonly ScopePlan[]) => Promise<void>;
}

/** Makes a database service that runs plans in the table `m_rows`. */
export function makeModelledDatabase(
  implementation: string,
  url: string,
  createDriver: (url: string) => Driver | Promise<Driver>,
): ModelledDatabase {
  let log: { readonly connection: number; readonly event: ConnectionEvent }[] = [];
  let lastId = 0;
  const connections: Connection[] = [];
  const database = makeDatabase(
    {
      implementation,
      exampleUrl: url,
      createDriver: async (poolUrl) => {
        const driver = recording(await createDriver(poolUrl), (connection, event) => log.push({ connection, event }));
        return {
          ...driver,
          connect: async (kind) => {
            const connection = await driver.connect(kind);
            if (kind === "write") connections.push(connection);
            return connection;
          },
        };
      },
    },
    { url },
  );

  const check = async (scopes: readonly ScopePlan[]): Promise<void> => {
    log = [];
    const firstId = lastId + 1;
    const rows: RowRecord[] = [];
    const scopeRecords: ScopeRecord[] = [];
    const callbacks: { readonly scope: ScopeRecord; isCalled: boolean }[] = [];
    const pending: Promise<unknown>[] = [];
    let hasLostConnections = false;
    const later = (promise: Promise<unknown>): void => void pending.push(promise.catch(() => {}));

    const insert = async (target: Pick<Database, "exec">, scopeRecord: ScopeRecord): Promise<void> => {
      const row: RowRecord = { id: ++lastId, scope: scopeRecord, outcome: "running" };
      rows.push(row);
      try {
        await target.exec(sql`insert into m_rows (id) values (${row.id})`);
        row.outcome = "accepted";
      } catch (error) {
        row.outcome = "refused";
        throw error;
      }
    };

    const runScope = async (plan: ScopePlan, parent: ScopeRecord | undefined, root: number): Promise<void> => {
      const isQuery = plan.isQuery && parent === undefined;
      const scopeRecord: ScopeRecord = { parent, root, isTransaction: !isQuery, outcome: "running" };
      scopeRecords.push(scopeRecord);
      const abort = new AbortController();
      const { limit } = plan;
      if (limit.kind === "abort") later(waitTurns(limit.turns).then(() => abort.abort(new Error("aborted"))));
      const options = limit.kind === "none" ? {} : limit.kind === "abort" ? { signal: abort.signal } : { timeoutMs: 1 };
      try {
        const runSteps = async (
          handle: Pick<Database, "exec" | "stream">,
        ): Promise<{ readonly ok: false; readonly error: string } | undefined> => {
          for (const step of plan.steps) await runStep(step, scopeRecord, handle);
          if (plan.end === "throw") throw new Error("thrown");
          return plan.end === "return" ? undefined : { ok: false, error: "failed" };
        };
        const callback: TransactionCallback<Awaited<ReturnType<typeof runSteps>>> = (handle) => {
          const steps = runSteps(handle);
          later(steps);
          return steps;
        };
        const result = await database[isQuery ? "query" : "transaction"](callback, options);
        scopeRecord.outcome = result === undefined || isQuery ? "committed" : "rolled back";
      } catch (error) {
        const isUnknown = (error as { readonly code?: string }).code === "E_DATABASE_COMMIT_UNKNOWN";
        scopeRecord.outcome = isUnknown ? "unknown" : "rolled back";
        throw error;
      }
    };

    const runStep = async (
      step: Step,
      scopeRecord: ScopeRecord,
      handle: Pick<Database, "exec" | "stream">,
    ): Promise<void> => {
      if (step.kind === "wait") return waitTurns(step.turns);
      if (step.kind === "insert") {
        const inserted = insert(database, scopeRecord);
        later(inserted);
        return step.isAwaited ? inserted : undefined;
      }
      if (step.kind === "late insert") {
        return later(waitTurns(step.turns).then(() => insert(step.usesHandle ? handle : database, scopeRecord)));
      }
      if (step.kind === "after commit") {
        const callback = { scope: scopeRecord, isCalled: false };
        database.afterCommit(() => {
          callback.isCalled = true;
        });
        return void callbacks.push(callback);
      }
      if (step.kind === "failing statement") {
        return void (await handle.exec(sql`insert into m_numbers (id) values (1)`).catch(() => {}));
      }
      if (step.kind === "stream") {
        const streamed = (async () => {
          for await (const _ of handle.stream(sql.value(Row.int)`select id from m_numbers`, { batchSize: 2 })) {
            await waitTurns(step.turns);
            if (step.isLeft) break;
          }
        })();
        later(streamed);
        return step.turns % 2 === 0 ? streamed : undefined;
      }
      if (step.kind === "lose connection") {
        hasLostConnections = true;
        return void connections.at(lastId % connections.length)?.close();
      }
      if (step.kind === "nested") {
        const nested = runScope(step.scope, scopeRecord, scopeRecord.root);
        later(nested);
        if (step.isAwaited) await (step.isSwallowed ? nested.catch(() => {}) : nested);
        return;
      }
      const all = step.steps.map((part) => runStep(part, scopeRecord, handle));
      all.forEach(later);
      if (step.kind === "all") await Promise.all(all);
      else await Promise.allSettled(all);
    };

    scopes.forEach((plan, root) => later(runScope(plan, undefined, root)));
    for (let count = 0; count < pending.length;) {
      count = pending.length;
      await Promise.all(pending);
    }
    const stored = new Set(await database.collect(sql.value(Row.int)`select id from m_rows where id >= ${firstId}`));
    assertRows(rows, stored, hasLostConnections);
    for (const callback of callbacks) {
      if (!isUnknown(callback.scope))
        assert.equal(callback.isCalled, isCommitted(callback.scope), "callback after a commit");
    }
    if (!hasLostConnections) assertConnections(log, new Map(rows.map((row) => [row.id, row])));
    // A connection that was lost in a transaction returns to its pool after the attempt to roll back.
    await waitFor(() => database.poolStats().used === 0);
  };
  return { database, check };
}

const chain = (scopeRecord: ScopeRecord): readonly ScopeRecord[] =>
  scopeRecord.parent === undefined ? [scopeRecord] : [scopeRecord, ...chain(scopeRecord.parent)];

/** Transactions around a row. The use of a connection undoes nothing. */
const transactions = (scopeRecord: ScopeRecord): readonly ScopeRecord[] =>
  chain(scopeRecord).filter(({ isTransaction }) => isTransaction);

const isCommitted = (scopeRecord: ScopeRecord): boolean =>
  transactions(scopeRecord).every(({ outcome }) => outcome === "committed");

const isUnknown = (scopeRecord: ScopeRecord): boolean =>
  transactions(scopeRecord).every(({ outcome }) => outcome === "committed" || outcome === "unknown") &&
  !isCommitted(scopeRecord);

function assertRows(rows: readonly RowRecord[], stored: ReadonlySet<number>, hasLostConnections: boolean): void {
  for (const { id, scope: scopeRecord, outcome } of rows) {
    assert.notEqual(outcome, "running");
    if (isUnknown(scopeRecord)) continue;
    const isSingle = transactions(scopeRecord).length === 0;
    // The answer to a single statement can be lost with the connection, or come after the end of its time.
    if (isSingle && outcome === "refused" && (hasLostConnections || chain(scopeRecord)[0]?.outcome !== "committed"))
      continue;
    assert.equal(stored.has(id), outcome === "accepted" && isCommitted(scopeRecord), `row ${id} is ${outcome}`);
  }
}

/** Checks that each connection serves one scope after the other, and that savepoints form a stack. */
function assertConnections(
  log: readonly { readonly connection: number; readonly event: ConnectionEvent }[],
  rows: ReadonlyMap<number, RowRecord>,
): void {
  const states = new Map<number, { isOpen: boolean; root: number | undefined; savepoints: string[] }>();
  for (const { connection, event } of log) {
    const state = states.get(connection) ?? { isOpen: false, root: undefined, savepoints: [] };
    states.set(connection, state);
    if (event === "begin") Object.assign(state, { isOpen: true, root: undefined, savepoints: [] });
    else if (event === "end") {
      // Otherwise a long transaction would accumulate a savepoint per transaction inside it.
      assert.deepEqual(state.savepoints, [], "savepoints at the end of a transaction");
      state.isOpen = false;
    } else if ("row" in event) {
      const { scope, outcome } = rows.get(event.row) as RowRecord;
      const isInTransaction = transactions(scope).length > 0;
      // PostgreSQL reads a stream outside of a transaction in one of its own, which refuses to write.
      if (!isInTransaction && outcome === "refused") continue;
      assert.equal(state.isOpen, isInTransaction, `row ${event.row} and the transaction of its connection`);
      if (!state.isOpen) continue;
      state.root ??= scope.root;
      assert.equal(scope.root, state.root, `row ${event.row} in the transaction of another scope`);
    } else {
      const [, command = "", name = ""] =
        /^(savepoint|rollback to savepoint|release savepoint) (\w+)$/.exec(event.script) ?? [];
      if (command === "") continue;
      assert.ok(state.isOpen, `${event.script} outside of a transaction`);
      if (command === "savepoint") state.savepoints.push(name);
      else assert.equal(state.savepoints.at(-1), name, event.script);
      if (command === "release savepoint") state.savepoints.pop();
    }
  }
}

async function waitTurns(count: number): Promise<void> {
  if (count === 0) return;
  await new Promise(setImmediate);
  await waitTurns(count - 1);
}
