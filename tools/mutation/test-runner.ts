// Replacement of `node:test` in mutation runs. It runs the tests of one file sequentially and stops at the first failure,
// which `node:test` cannot do. Most runs then take milliseconds.
import { mock, type MockTracker } from "node:test";

/** Hook of a suite. `beforeEach` and `afterEach` get the context of the test. */
type Step = (context?: TestContext) => unknown;
interface TestContext {
  readonly name: string;
  readonly mock: MockTracker;
  /** Registers a step that runs after the test. */
  after(step: Step): void;
  diagnostic(text: string): void;
  skip(): void;
}
type TestBody = (context: TestContext) => unknown;
interface TestOptions {
  readonly skip?: unknown;
}

interface Suite {
  readonly before: Step[];
  readonly beforeEach: Step[];
  readonly children: (Suite | { readonly name: string; readonly body: TestBody })[];
  readonly afterEach: Step[];
  readonly after: Step[];
}

const createSuite = (): Suite => ({ before: [], beforeEach: [], children: [], afterEach: [], after: [] });
let currentSuite = createSuite();

export const before = (step: Step): void => void currentSuite.before.push(step);
export const beforeEach = (step: Step): void => void currentSuite.beforeEach.push(step);
export const afterEach = (step: Step): void => void currentSuite.afterEach.push(step);
export const after = (step: Step): void => void currentSuite.after.push(step);

export function test(name: string, optionsOrBody: TestOptions | TestBody, bodyAfterOptions?: TestBody): void {
  const body = findBody(optionsOrBody, bodyAfterOptions);
  if (body !== undefined) currentSuite.children.push({ name, body });
}

export function describe(_name: string, optionsOrBody: TestOptions | Step, bodyAfterOptions?: Step): void {
  const body = findBody(optionsOrBody, bodyAfterOptions);
  if (body === undefined) return;
  const parent = currentSuite;
  currentSuite = createSuite();
  parent.children.push(currentSuite);
  body();
  currentSuite = parent;
}

export { describe as suite };

/** Replaces `withServer` of `test/servers`. Mutation runs use no database server. */
export async function withServer(): Promise<void> {}

/** Returns the body of a test or suite, or `undefined` when it is skipped. */
function findBody<Body extends TestBody>(optionsOrBody: TestOptions | Body, body: Body | undefined): Body | undefined {
  if (typeof optionsOrBody === "function") return optionsOrBody;
  return optionsOrBody.skip === undefined || optionsOrBody.skip === false ? body : undefined;
}

/** Returns true if all tests of a file pass. `load` imports the file. */
export async function passes(load: () => Promise<unknown>): Promise<boolean> {
  const fileSuite = createSuite();
  currentSuite = fileSuite;
  try {
    await load();
    return fileSuite.children.length > 0 && (await runSuite(fileSuite, []), true);
  } catch {
    return false;
  }
}

async function runSuite(suite: Suite, parents: readonly Suite[]): Promise<void> {
  const ancestors = [...parents, suite];
  try {
    await runSteps(suite.before);
    for (const child of suite.children)
      await ("body" in child ? runTest(child.name, child.body, ancestors) : runSuite(child, ancestors));
  } finally {
    await runSteps(suite.after);
  }
}

async function runTest(name: string, body: TestBody, ancestors: readonly Suite[]): Promise<void> {
  const afterSteps: Step[] = [];
  const noop = (): void => {};
  const context = { name, mock, after: (step: Step) => void afterSteps.push(step), diagnostic: noop, skip: noop };
  try {
    await runSteps(
      ancestors.flatMap((suite) => suite.beforeEach),
      context,
    );
    await body(context);
  } finally {
    mock.restoreAll();
    await runSteps([...afterSteps, ...ancestors.toReversed().flatMap((suite) => suite.afterEach)], context);
  }
}

async function runSteps(steps: readonly Step[], context?: TestContext): Promise<void> {
  for (const step of steps) await step(context);
}
