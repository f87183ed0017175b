import type { Import } from "./parse-imports.ts";

/** Violation of a layout rule. */
export interface Violation {
  /** Path of the file, relative to the root of the project. */
  readonly path: string;
  readonly line: number;
  /** Problem and advice. */
  readonly message: string;
}

/** Source file of a project with its imports. */
export interface SourceFile {
  readonly path: string;
  /** Imports. `target` is the path from the root for files of the project, the specifier for all others. */
  readonly imports: readonly (Import & { readonly target: string })[];
}

/** Rule of the layout. Returns the message of a violation by one import of a file, or `undefined`. */
export type LayoutRule = (path: string, imported: SourceFile["imports"][number]) => string | undefined;

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
const isDomain = (path: string): boolean => path.startsWith("app/domain/");
const isTest = (path: string): boolean => path.startsWith("test/") || /\.test\.[cm]?ts$/.test(path);

/** Rule: the domain does not depend on the web. */
const domainImportsNoWeb: LayoutRule = (path, { target, names }) => {
  if (!isDomain(path)) return undefined;
  const isWeb =
    target.startsWith("web/") ||
    ["limmat/web", "limmat/html", "limmat/jsx-runtime", "node:http", "node:https", "node:http2"].includes(target) ||
    (target === "limmat" && names.includes("Web"));
  return isWeb
    ? `app/domain must not depend on the web, but imports "${target}". Pass the value as an argument.`
    : undefined;
};

/** Rule: only the service of a model imports its repository. */
const repositoriesArePrivate: LayoutRule = (path, { target }) => {
  const isOtherRepository = /^app\/domain\/.*repository\.[cm]?ts$/.test(target) && folderOf(path) !== folderOf(target);
  return isOtherRepository && !isTest(path)
    ? `"${target}" is private to the service in its folder. Import that service instead.`
    : undefined;
};

// Exports of `limmat` that do no input or output.
const pureExports: ReadonlySet<string> = new Set("error Form isError LimmatError ok Random Schema Time".split(" "));

/** Rule: entities contain types and pure logic, and do no input or output. */
const entitiesArePure: LayoutRule = (path, { target, names, isTypeOnly }) => {
  if (!/^app\/domain\/(?:.*\/)?entity\.[cm]?ts$/.test(path) || isTypeOnly) return undefined;
  const isPure =
    target === "limmat/schema" ||
    (target === "limmat" && names.every((name) => pureExports.has(name) || name === "type")) ||
    /^app\/domain\/.*entity\.[cm]?ts$/.test(target);
  const isProjectOrFramework =
    target.startsWith("node:") ||
    target.startsWith("limmat") ||
    /^(?:app|database|logs|public|resources|routes|run|service|test|web)\//.test(target);
  return !isPure && isProjectOrFramework
    ? `entity.ts must contain only types and pure logic, but imports "${target}". Move the code that uses it to the service.`
    : undefined;
};

/** Rule: `run` and `routes` wire the application, and no other module imports them. */
const nothingImportsWiring: LayoutRule = (path, { target, names }) => {
  const isWiring = target.startsWith("run/") || (target.startsWith("routes/") && !path.startsWith("run/"));
  if (isWiring && !isTest(path) && folderOf(path) !== folderOf(target)) {
    return `"${target}" wires the application and must not be imported. Reverse the dependency.`;
  }
  const isMisplacedApp = target === "limmat" && names.includes("App") && !path.startsWith("run/") && !isTest(path);
  return isMisplacedApp ? "App may be imported in run/run.ts only." : undefined;
};

/** All layout rules. */
export const layoutRules: readonly LayoutRule[] = [
  domainImportsNoWeb,
  repositoriesArePrivate,
  entitiesArePure,
  nothingImportsWiring,
];
