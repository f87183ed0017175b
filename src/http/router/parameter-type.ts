import { errors } from "../errors.ts";

/**
 * Type of a path parameter: returns the canonical form of a decoded text, or `undefined` for a text that the path does not
 * match. Values stay text, as those of `<int>` do, so that every function for requests takes the request.
 */
export type Matcher<T extends string = string> = (text: string) => T | undefined;

/** Own types of path parameters, by their names: `{ language }` for `/:language<language>/news`. */
export type Matchers = Readonly<Record<string, Matcher>>;

const uuidPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Types that need no declaration. */
const builtIn: Matchers = {
  uuid: (text) => {
    const lower = text.toLowerCase();
    return uuidPattern.test(lower) ? lower : undefined;
  },
  // Without sign and leading zeros, so that a number has one path. Number represents all of them exactly.
  int: (text) => (/^(?:0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text)) ? text : undefined),
};

/** Parsed segment of a pattern that is a parameter. */
export interface Parameter {
  readonly name: string;
  /** Name of the type of the value; `undefined` accepts all text. */
  readonly type: string | undefined;
  readonly isOptional: boolean;
  /** True if the parameter takes the rest of the path. */
  readonly isWildcard: boolean;
}

/** Parses a segment of a pattern. Returns `undefined` for static text. */
export function parseParameter(segment: string): Parameter | undefined {
  const [, marker, name, type, optional] = /^([:*])(\w+)(?:<(\w+)>)?(\?)?$/.exec(segment) ?? [];
  if (name === undefined) return undefined;
  return { name, type, isOptional: optional !== undefined, isWildcard: marker === "*" };
}

/** Returns the parameters of a pattern, in order. */
export function parametersOf(pattern: string): readonly Parameter[] {
  return pattern.split("/").flatMap((segment) => parseParameter(segment) ?? []);
}

/** Returns the matcher of a type; `undefined` for one that is neither built in nor declared. */
function matcherOf(type: string, matchers: Matchers): Matcher | undefined {
  return [builtIn, matchers].find((candidates) => Object.hasOwn(candidates, type))?.[type];
}

/** Returns the canonical text of a parameter, or `undefined` for a text that its type does not match. */
export function readParameter({ type }: Pick<Parameter, "type">, text: string, matchers: Matchers): string | undefined {
  return type === undefined ? text : matcherOf(type, matchers)?.(text);
}

/** Checks the matchers of a path or scope when it is declared. @throws E_ROUTE_PATH */
export function requireMatchers(path: string, matchers: Matchers): void {
  for (const [name, matcher] of Object.entries(matchers)) {
    if (matcherOf(name, {}) !== undefined)
      throw errors.E_ROUTE_PATH(path, `the type "${name}" is built in: rename yours`);
    if (typeof matcher !== "function") throw errors.E_ROUTE_PATH(path, `the matcher "${name}" is not a function`);
  }
  for (const { type } of parametersOf(path)) {
    if (type === undefined || matcherOf(type, matchers) !== undefined) continue;
    const advice = `write uuid or int, or declare it: { matchers: { ${type}: (text: string) => … } }`;
    throw errors.E_ROUTE_PATH(path, `"${type}" is not a type: ${advice}`);
  }
}

/** Merges the matchers of a route with those of its scope. @throws E_ROUTE_PATH if a name has two meanings */
export function mergeMatchers(path: string, outer: Matchers, inner: Matchers): Matchers {
  const other = Object.keys(inner).find((name) => Object.hasOwn(outer, name) && outer[name] !== inner[name]);
  if (other === undefined) return { ...outer, ...inner };
  throw errors.E_ROUTE_PATH(path, `the type "${other}" has two matchers: give one of them another name`);
}
