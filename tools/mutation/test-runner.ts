// Stands in the place of `node:test` in a trial: runs the tests of one file after another and stops at the first that
// fails, which `node:test` does not, and which makes most trials a matter of milliseconds.
import { mock, type MockTracker } from "node:test";

type Step = () => unknown;
interface Context {
  readonly name: string;
  readonly mock: MockTracker;
  /** Runs when the test is over. */
  after(step: Step): void;
  diagnostic(text: string): void;
  skip(): void;
}
type Body = (context: Context) => unknown;
interface Options {
  readonly skip?: unknown;
}

interface Suite {
  readonly before: Step[];
  readonly beforeEach: Step[];
  readonly content: (Suite | { readonly name: string; readonly body: Body })[];
  readonly afterEach: Step[];
  readonly after: Step[];
}

const empty = (): Suite => ({ before: [], beforeEach: [], content: [], afterEach: [], after: [] });
let open = empty();

export const before = (step: Step): void => void open.before.push(step);
export const beforeEach = (step: Step): void => void open.beforeEach.push(step);
export const afterEach = (step: Step): void => void open.afterEach.push(step);
export const after = (step: Step): void => void open.after.push(step);

export function test(name: string, given: Options | Body, second?: Body): void {
  const body = bodyOf(given, second);
  if (body !== undefined) open.content.push({ name, body });
}

export function describe(_name: string, given: Options | Step, second?: Step): void {
  const body = bodyOf(given, second);
  if (body === undefined) return;
  const around = open;
  open = empty();
  around.content.push(open);
  body();
  open = around;
}

export { describe as suite };

/** Stands in the place of that of `test/servers`: what differs from one database server to the next is not tried. */
export async function withServer(): Promise<void> {}

/** What runs of what was registered: nothing of what is skipped. */
function bodyOf<B extends Body>(given: Options | B, body: B | undefined): B | undefined {
  if (typeof given === "function") return given;
  return given.skip === undefined || given.skip === false ? body : undefined;
}

/** Whether all tests of a file pass; `load` imports it. */
export async function passes(load: () => Promise<unknown>): Promise<boolean> {
  const whole = empty();
  open = whole;
  try {
    await load();
    return whole.content.length > 0 && (await all(whole, []), true);
  } catch {
    return false;
  }
}

async function all(suite: Suite, around: readonly Suite[]): Promise<void> {
  const within = [...around, suite];
  try {
    await steps(suite.before);
    for (const next of suite.content) await ("body" in next ? one(next.name, next.body, within) : all(next, within));
  } finally {
    await steps(suite.after);
  }
}

async function one(name: string, body: Body, within: readonly Suite[]): Promise<void> {
  const last: Step[] = [];
  const nothing = (): void => {};
  try {
    await steps(within.flatMap((suite) => suite.beforeEach));
    await body({ name, mock, after: (step) => void last.push(step), diagnostic: nothing, skip: nothing });
  } finally {
    mock.restoreAll();
    await steps([...last, ...within.toReversed().flatMap((suite) => suite.afterEach)]);
  }
}

async function steps(some: readonly Step[]): Promise<void> {
  for (const step of some) await step();
}
