import type { Import } from "./imports.ts";

/** A rule that a file breaks. */
export interface Violation {
  /** The file, from the root of the project. */
  readonly path: string;
  readonly line: number;
  /** What is wrong, and what to do. */
  readonly message: string;
}

/** A file of a project, as the rules see it. */
export interface SourceFile {
  readonly path: string;
  /** Its imports; those of the project's own files as paths from the root, all others as they are written. */
  readonly imports: readonly (Import & { readonly target: string })[];
}

/** A rule of the layout: what is wrong with one import of a file, or `undefined`. */
export type Rule = (path: string, imported: SourceFile["imports"][number]) => string | undefined;

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
const isDomain = (path: string): boolean => path.startsWith("app/domain/");
const isTest = (path: string): boolean => path.startsWith("test/") || /\.test\.[cm]?ts$/.test(path);

/** The application's logic must not depend on the web. */
const domainKnowsNoWeb: Rule = (path, { target, names }) => {
  if (!isDomain(path)) return undefined;
  const isWeb =
    target.startsWith("web/") ||
    ["limmat/web", "limmat/html", "limmat/jsx-runtime", "node:http", "node:https", "node:http2"].includes(target) ||
    (target === "limmat" && names.includes("Web"));
  return isWeb
    ? `app/domain knows nothing of the web, and imports "${target}". Give it what it needs as an argument.`
    : undefined;
};

/** The queries of a model belong to its service. */
const repositoriesArePrivate: Rule = (path, { target }) => {
  const isForeign = /^app\/domain\/.*repository\.[cm]?ts$/.test(target) && folderOf(path) !== folderOf(target);
  return isForeign && !isTest(path)
    ? `"${target}" belongs to the service beside it. Use that service instead.`
    : undefined;
};

// What of the framework's main door does no input or output.
const pure: ReadonlySet<string> = new Set("error Form isError LimmatError ok Random Schema Time".split(" "));

/** Types and pure logic do no input or output. */
const entitiesArePure: Rule = (path, { target, names, isTypeOnly }) => {
  if (!/^app\/domain\/(?:.*\/)?entity\.[cm]?ts$/.test(path) || isTypeOnly) return undefined;
  const isPure =
    target === "limmat/schema" ||
    (target === "limmat" && names.every((name) => pure.has(name) || name === "type")) ||
    /^app\/domain\/.*entity\.[cm]?ts$/.test(target);
  const isOwnOrKnown =
    target.startsWith("node:") ||
    target.startsWith("limmat") ||
    /^(?:app|database|logs|public|resources|routes|run|service|test|web)\//.test(target);
  return !isPure && isOwnOrKnown
    ? `entity.ts holds types and pure logic, and imports "${target}". Move what needs that to the service.`
    : undefined;
};

/** `run` and `routes` are the only wiring: nothing builds on them. */
const wiringIsLast: Rule = (path, { target, names }) => {
  const isWired = target.startsWith("run/") || (target.startsWith("routes/") && !path.startsWith("run/"));
  if (isWired && !isTest(path) && folderOf(path) !== folderOf(target)) {
    return `"${target}" wires what others made, and nothing builds on it. Turn the import around.`;
  }
  const isElsewhere = target === "limmat" && names.includes("App") && !path.startsWith("run/") && !isTest(path);
  return isElsewhere ? "An application is put together in run/run.ts only." : undefined;
};

/** All rules. */
export const rules: readonly Rule[] = [domainKnowsNoWeb, repositoriesArePrivate, entitiesArePure, wiringIsLast];
