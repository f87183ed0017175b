import type { PreparedStatement } from "../contract.ts";

// Score from which a statement is costly: two slow runs of a quick statement, or a slow first run.
const costlyScore = 4;
const slowRunScore = 2;
// Score of a costly statement after a slow run. It takes 13 quick runs in a row to be quick again, because the check finds
// only some slow runs: with 8, a search that takes 2 ms alone and 13 ms beside others was shared for moments, which held up
// all others (64 callers: p99 330 ms instead of 130 ms, at the same throughput).
const maxScore = 16;

/**
 * Costs of statements, learnt from their runs. A slow run counts as much as two quick ones, so that a single hiccup of the
 * server does not make a quick statement costly.
 */
export class StatementCosts {
  readonly #isShareable: (prepared: PreparedStatement) => boolean;
  readonly #quickStatements = new WeakSet<PreparedStatement>();
  /** Scores above 0 of statements that were slow lately. Bounded, because only named statements are recorded. */
  readonly #scores = new Map<PreparedStatement, number>();

  /** `isShareable` returns false for statements that are never quick. It is called once per statement. */
  constructor(isShareable: (prepared: PreparedStatement) => boolean) {
    this.#isShareable = isShareable;
  }

  /** Returns true if a statement may share a connection: its runs so far were quick. */
  isQuick(prepared: PreparedStatement): boolean {
    return this.#quickStatements.has(prepared);
  }

  /** Records a run of a statement. */
  record(prepared: PreparedStatement, isSlow: boolean): void {
    const isQuick = this.#quickStatements.has(prepared);
    if (isQuick && !isSlow && this.#scores.size === 0) return;
    if (prepared.name === undefined) return;
    const former = this.#scores.get(prepared) ?? 0;
    if (isSlow) this.#setScore(prepared, isQuick ? former + slowRunScore : former === 0 ? costlyScore : maxScore);
    else if (former > 0 || !isQuick) this.#setScore(prepared, Math.max(0, former - 1));
  }

  /** Records that a statement has held up others. */
  setCostly(prepared: PreparedStatement): void {
    if (prepared.name !== undefined) this.#setScore(prepared, maxScore);
  }

  #setScore(prepared: PreparedStatement, score: number): void {
    if (score === 0) this.#scores.delete(prepared);
    else this.#scores.set(prepared, score);
    if (score >= costlyScore) this.#quickStatements.delete(prepared);
    else if (!this.#quickStatements.has(prepared) && this.#isShareable(prepared)) this.#quickStatements.add(prepared);
  }
}
