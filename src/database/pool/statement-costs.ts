import type { PreparedStatement } from "../contract.ts";

// Score from which a statement is costly: two slow runs of a quick statement, or a slow first run.
const costlyScore = 4;
const maxScore = 8;
const slowRunScore = 2;

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
    if (isSlow)
      this.#setScore(prepared, Math.min(maxScore, former === 0 && !isQuick ? costlyScore : former + slowRunScore));
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
