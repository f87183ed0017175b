// Finds loops that wait by turning the event loop: they use a whole core, and never end if what they wait for never comes.
import { dirname, join } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** Pauses below this number of milliseconds count as turns of the event loop. */
const minPauseMs = 10;

/** Loop that waits by turning the event loop. */
export interface BusyLoop {
  readonly path: string;
  readonly line: number;
  /** First line of the loop. */
  readonly text: string;
}

/** Source file to search. */
export interface SearchedSource {
  readonly path: string;
  readonly text: string;
}

/** Node of a syntax tree (ESTree). */
interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [property: string]: unknown;
}

/**
 * Function that waits: `turn` for a turn of the event loop, `delay` for its first argument in milliseconds, `clock` for a fake
 * clock.
 */
type Wait = "turn" | "delay" | "clock";

/** Waiting functions of a file by their local names. */
type Waits = ReadonlyMap<string, Wait>;

interface ParsedSource extends SearchedSource {
  readonly program: Syntax;
  /** Waiting functions that the file declares or imports from Node. */
  readonly waits: Map<string, Wait>;
}

/** Returns the busy loops of all files. A function that only waits counts as a wait in every file that imports it. */
export function findBusyLoops(sources: readonly SearchedSource[]): BusyLoop[] {
  const waiting = sources.filter(({ text }) => /\b(?:await|Promise)\b/.test(text));
  const parsed = new Map(waiting.map((source) => [source.path, parse(source)]));
  for (const { path, program, waits } of parsed.values()) {
    for (const { local, imported, specifier } of importsOf(program)) {
      if (!specifier.startsWith(".")) continue;
      const wait = parsed.get(join(dirname(path), specifier))?.waits.get(imported);
      if (wait !== undefined) waits.set(local, wait);
    }
  }
  return [...parsed.values()].flatMap(({ path, text, program, waits }) =>
    descendants(program)
      .filter((node) => isBusyLoop(node, waits))
      .map(({ start }) => ({
        path,
        line: text.slice(0, start).split("\n").length,
        text: text.slice(start).split("\n", 1)[0] ?? "",
      })),
  );
}

function parse(source: SearchedSource): ParsedSource {
  const lang = source.path.endsWith("x") ? "tsx" : "ts";
  const program = parseAst(source.text, { lang }) as unknown as Syntax;
  const waits = new Map<string, Wait>();
  for (const { local, imported, specifier } of importsOf(program)) {
    if (specifier !== "node:timers/promises") continue;
    if (imported === "setImmediate") waits.set(local, "turn");
    if (imported === "setTimeout") waits.set(local, "delay");
  }
  for (const [name, callable] of namedFunctions(program)) {
    const wait = waitOfFunction(callable, waits);
    if (wait !== undefined) waits.set(name, wait);
  }
  return { ...source, program, waits };
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === "object" && value !== null && typeof (value as { readonly type?: unknown }).type === "string";

const childrenOf = (node: Syntax): Syntax[] => Object.values(node).flat().filter(isSyntax);

/** Returns a node and all nodes below it. Nodes that `isClosed` accepts are returned without those below them. */
function descendants(node: Syntax, isClosed: (inner: Syntax) => boolean = () => false): Syntax[] {
  return [node, ...childrenOf(node).flatMap((child) => (isClosed(child) ? [child] : descendants(child, isClosed)))];
}

const isFunction = ({ type }: Syntax): boolean =>
  type === "FunctionDeclaration" || type === "FunctionExpression" || type === "ArrowFunctionExpression";
const isLoop = ({ type }: Syntax): boolean => /^(?:While|DoWhile|For|ForOf|ForIn)Statement$/.test(type);
const nameOf = (node: unknown): string => (isSyntax(node) && typeof node["name"] === "string" ? node["name"] : "");

/** Returns `a.b` for a member expression or an identifier. */
function calleeOf(node: Syntax): string {
  const callee = node["callee"] as Syntax;
  if (callee.type !== "MemberExpression") return nameOf(callee);
  return `${nameOf(callee["object"])}.${nameOf(callee["property"])}`;
}

function importsOf(program: Syntax): { local: string; imported: string; specifier: string }[] {
  return (program["body"] as Syntax[])
    .filter(({ type }) => type === "ImportDeclaration")
    .flatMap(({ source, specifiers }) =>
      (specifiers as Syntax[]).map(({ local, imported }) => ({
        local: nameOf(local),
        imported: nameOf(imported),
        specifier: String((source as Syntax)["value"]),
      })),
    );
}

/** Returns the functions that have a name: declarations, and constants. */
function namedFunctions(program: Syntax): (readonly [name: string, callable: Syntax])[] {
  return descendants(program).flatMap((node): (readonly [string, Syntax])[] => {
    if (node.type === "FunctionDeclaration") return [[nameOf(node["id"]), node]];
    const { init } = node;
    return node.type === "VariableDeclarator" && isSyntax(init) && isFunction(init) ? [[nameOf(node["id"]), init]] : [];
  });
}

/** Returns the wait of a function that does nothing else. */
function waitOfFunction(callable: Syntax, waits: Waits): Wait | undefined {
  const statements = statementsOf(callable["body"] as Syntax);
  const [only] = statements;
  if (only === undefined || statements.length > 1) return undefined;
  const { argument, expression } = only;
  const result = only.type === "ReturnStatement" ? argument : only.type === "ExpressionStatement" ? expression : only;
  return isSyntax(result) ? waitOf(result, waits) : undefined;
}

/** Returns the statements of a block, or the only one. */
const statementsOf = (node: Syntax): readonly Syntax[] =>
  node.type === "BlockStatement" ? (node["body"] as Syntax[]) : node.type === "EmptyStatement" ? [] : [node];

/** Returns the wait of an expression. `undefined` for one that waits for something else, or long enough. */
function waitOf(node: Syntax, waits: Waits): Wait | undefined {
  const inner = node["argument"] ?? node["expression"];
  if (/^(?:Await|Unary|Parenthesized|TSAs|TSSatisfies|TSNonNull)Expression$/.test(node.type)) {
    return isSyntax(inner) ? waitOf(inner, waits) : undefined;
  }
  if (node.type === "ConditionalExpression") {
    const branches = [node["consequent"], node["alternate"]] as readonly Syntax[];
    const found = branches.map((branch) => waitOf(branch, waits));
    return found.find((wait) => wait === "turn") ?? found.find((wait) => wait !== undefined);
  }
  if (node.type === "Literal") return "turn";
  const [first] = (node["arguments"] ?? []) as readonly Syntax[];
  if (node.type === "NewExpression") return calleeOf(node) === "Promise" ? waitOfExecutor(first) : undefined;
  if (node.type !== "CallExpression") return undefined;
  const callee = calleeOf(node);
  if (callee.endsWith(".advance")) return "clock";
  if (/^(?:Promise\.resolve|scheduler\.yield|timers\.setImmediate)$/.test(callee)) return "turn";
  const wait = /^(?:Time\.sleep|scheduler\.wait|timers\.setTimeout)$/.test(callee) ? "delay" : waits.get(callee);
  return wait === "delay" ? waitOfDelay(first) : wait;
}

/** True for `await iterator.next()`. A loop may read an iterator to its end. */
const readsIterator = ({ argument }: Syntax): boolean =>
  isSyntax(argument) && argument.type === "CallExpression" && calleeOf(argument).endsWith(".next");

/** Returns the wait of the function of `new Promise(…)`. */
function waitOfExecutor(executor: Syntax | undefined): Wait | undefined {
  if (executor === undefined) return undefined;
  const isTurn = (callee: string): boolean => /^(?:setImmediate|queueMicrotask|process\.nextTick)$/.test(callee);
  if (!isFunction(executor)) return isTurn(calleeOf({ ...executor, callee: executor })) ? "turn" : undefined;
  const calls = descendants(executor["body"] as Syntax, isFunction).filter(({ type }) => type === "CallExpression");
  if (calls.some((call) => isTurn(calleeOf(call)))) return "turn";
  const timer = calls.find((call) => calleeOf(call) === "setTimeout");
  return timer && waitOfDelay((timer["arguments"] as readonly Syntax[])[1]);
}

/** Returns the wait of a number of milliseconds: a turn if it is too short, and a delay if it is known by the caller only. */
function waitOfDelay(delay: Syntax | undefined): Wait | undefined {
  if (delay === undefined) return "turn";
  if (delay.type !== "Literal") return "delay";
  return Number(delay["value"]) < minPauseMs ? "turn" : undefined;
}

/**
 * Returns true for a loop that lets turns of the event loop pass, for one that only moves a fake clock until its condition
 * holds, and for one that only repeats an awaited condition. Generators wait for their consumers.
 */
function isBusyLoop(node: Syntax, waits: Waits): boolean {
  if (!isLoop(node)) return false;
  const { body, test, update } = node;
  const own = (part: unknown): Syntax[] =>
    isSyntax(part) ? descendants(part, (inner) => isFunction(inner) || isLoop(inner)) : [];
  const parts = [...own(body), ...own(test), ...own(update)];
  if (parts.some(({ type }) => type === "YieldExpression")) return false;
  const awaits = parts.filter(({ type }) => type === "AwaitExpression");
  const found = awaits.map((awaited) => waitOf(awaited, waits));
  const hasTurn = found.includes("turn");
  const statements = statementsOf(body as Syntax);
  const onlyWaits = statements.every(
    ({ expression }) => isSyntax(expression) && ["turn", "clock"].includes(waitOf(expression, waits) ?? ""),
  );
  // A counted loop may do something in each turn, or move a clock. Without a counter, its end depends on what it waits for.
  if (node.type === "ForOfStatement" || isSyntax(update)) return hasTurn && onlyWaits;
  return hasTurn || (awaits.length > 0 && onlyWaits && !awaits.some(readsIterator));
}
