// Stands in the place of `node:test` in a trial: runs the tests of one file after another and stops at the first that
// fails, which `node:test` does not, and which makes most trials a matter of milliseconds.

type Step = () => unknown;
interface Context {
  /** Runs when the test is over. */
  after(step: Step): void;
}
type Body = (context: Context) => unknown;

interface Suite {
  readonly before: Step[];
  readonly beforeEach: Step[];
  readonly tests: Body[];
  readonly afterEach: Step[];
  readonly after: Step[];
}

const empty = (): Suite => ({ before: [], beforeEach: [], tests: [], afterEach: [], after: [] });
let suite = empty();

export const test = (_name: string, body: Body): void => void suite.tests.push(body);
export const describe = (_name: string, body: Step): void => void body();
export const before = (step: Step): void => void suite.before.push(step);
export const beforeEach = (step: Step): void => void suite.beforeEach.push(step);
export const afterEach = (step: Step): void => void suite.afterEach.push(step);
export const after = (step: Step): void => void suite.after.push(step);

/** Whether all tests of a file pass; `load` imports it. */
export async function passes(load: () => Promise<unknown>): Promise<boolean> {
  const mine = empty();
  suite = mine;
  try {
    await load();
    if (mine.tests.length === 0) return false;
    await all(mine.before);
    for (const body of mine.tests) await one(mine, body);
    return true;
  } catch {
    return false;
  } finally {
    await all(mine.after).catch(() => undefined);
  }
}

async function one(mine: Suite, body: Body): Promise<void> {
  const last: Step[] = [];
  try {
    await all(mine.beforeEach);
    await body({ after: (step) => void last.push(step) });
  } finally {
    await all([...last, ...mine.afterEach]);
  }
}

async function all(steps: readonly Step[]): Promise<void> {
  for (const step of steps) await step();
}
