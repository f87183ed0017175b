/** Type of a path parameter, as in `/todos/:id<uuid>`. A value of another type is a path that no route has. */
export type ParameterType = keyof typeof parameterTypes;

const uuidPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Functions that return the canonical text of a value, or `undefined` for a value of another type. */
const parameterTypes = {
  uuid: (text: string): string | undefined => {
    const lower = text.toLowerCase();
    return uuidPattern.test(lower) ? lower : undefined;
  },
  // Without sign and leading zeros, so that a number has one path. Number represents all of them exactly.
  int: (text: string): string | undefined =>
    /^(?:0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text)) ? text : undefined,
} as const;

/** Names of the types, for messages. */
export const parameterTypeNames: readonly string[] = Object.keys(parameterTypes);

/** Parsed segment of a pattern that is a parameter. */
export interface Parameter {
  readonly name: string;
  /** Type of the value; `text` accepts all. */
  readonly type: ParameterType | "text";
  readonly isOptional: boolean;
  /** True if the parameter takes the rest of the path. */
  readonly isWildcard: boolean;
}

/** Parses a segment of a pattern. Returns `undefined` for static text. */
export function parseParameter(segment: string): Parameter | undefined {
  const [, marker, name, type = "text", optional] = /^([:*])(\w+)(?:<(\w+)>)?(\?)?$/.exec(segment) ?? [];
  if (name === undefined) return undefined;
  return { name, type: type as Parameter["type"], isOptional: optional !== undefined, isWildcard: marker === "*" };
}

/** Returns the parameters of a pattern, in order. */
export function parametersOf(pattern: string): readonly Parameter[] {
  return pattern.split("/").flatMap((segment) => parseParameter(segment) ?? []);
}

/** Returns the canonical text of a parameter's value, or `undefined` for a value of another type. */
export function readParameter({ type }: Pick<Parameter, "type">, text: string): string | undefined {
  return type === "text" ? text : parameterTypes[type](text);
}
