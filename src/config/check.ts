import { type ConfigurationField, editDistance, isError, type LimmatError } from "../core/index.ts";
import { TimeInternals } from "../time/index.ts";
import { errors, type Problem } from "./errors.ts";
import { environment, findValue, keysInEnvFiles } from "./sources.ts";

/** A field and the state of its key, without its value. */
export interface FieldDescription {
  readonly key: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The default as a text, `undefined` when there is none or when it is secret. */
  readonly default: string | undefined;
  readonly isSet: boolean;
  /** Source of the value, `undefined` when the key is not set. */
  readonly source: string | undefined;
}

/** Returns the problems of these fields, one for each key. Empty when all fields can be read. */
export function checkFields(fields: readonly ConfigurationField[]): readonly Problem[] {
  try {
    // Required keys depend on the environment and the env files: without them, no field can be checked.
    findValue("");
  } catch (cause) {
    if (!isError(cause)) throw cause;
    const { key, problem } = cause as LimmatError & Problem;
    return [{ key, problem }];
  }
  const problems = new Map<string, Problem>();
  for (const field of fields) {
    const problem = findProblem(field);
    if (problem !== undefined && !problems.has(field.key)) problems.set(field.key, problem);
  }
  return [...problems.values()];
}

/**
 * Checks fields.
 *
 * @throws E_CONFIGURATION with a report of all problems as its message.
 */
export function requireFields(fields: readonly ConfigurationField[]): void {
  const problems = checkFields(fields);
  if (problems.length > 0) throw errors.E_CONFIGURATION(formatProblems(problems, fields));
}

/** Formats problems for people: one per line, then misspelled keys of env files, and what to do. */
export function formatProblems(problems: readonly Problem[], fields: readonly ConfigurationField[] = []): string {
  const unsetKeys = problems.filter(({ isUnset }) => isUnset).map(({ key }) => key);
  const hints = unsetKeys.length === 0 ? [] : findMisspelledKeys(fields, unsetKeys);
  const width = Math.max(...problems.map(({ key }) => key.length));
  return [
    "The configuration is incomplete or wrong:",
    "",
    ...problems.map(({ key, problem }) => `  ${key.padEnd(width)}  ${problem}`),
    "",
    ...hints.flatMap((hint) => [hint, ""]),
    "Set these keys in the process environment or in an env file. The command config lists all keys.",
  ].join("\n");
}

/**
 * Describes a field and the state of its key.
 *
 * @throws E_CONFIGURATION_INVALID or E_CONFIGURATION_FILE when the sources cannot be read.
 */
export function describeField(field: ConfigurationField): FieldDescription {
  const { key, type, description } = field;
  const source = findValue(key)?.source;
  return {
    key,
    type,
    description,
    isRequired: field.isRequired(environment()),
    default: formatDefault(field),
    isSet: source !== undefined,
    source,
  };
}

/**
 * Returns a warning for each unknown key in an env file that is one or two letters away from a known key that is not set.
 *
 * @throws E_CONFIGURATION_FILE
 */
export function findMisspelledKeys(
  fields: readonly ConfigurationField[],
  unsetKeys: readonly string[] = fields.map(({ key }) => key).filter((key) => findValue(key) === undefined),
): readonly string[] {
  const keys = fields.map(({ key }) => key);
  return [...keysInEnvFiles()].flatMap(([key, location]) => {
    if (keys.includes(key)) return [];
    const similarKey = unsetKeys.find((candidate) => editDistance(key, candidate) <= (candidate.length < 8 ? 1 : 2));
    return similarKey === undefined
      ? []
      : `${key} is set in ${location}, and nothing reads it. Did you mean ${similarKey}?`;
  });
}

function findProblem({ key, description, isRequired, parse }: ConfigurationField): Problem | undefined {
  const sourced = findValue(key);
  if (sourced === undefined) {
    return isRequired(environment()) ? { key, problem: `is not set (${description})`, isUnset: true } : undefined;
  }
  const parsed = parse(sourced.value);
  return parsed.ok ? undefined : { key, problem: `${parsed.error} (read from: ${sourced.source})` };
}

function formatDefault(field: ConfigurationField): string | undefined {
  const value = field.default(environment());
  if (value === undefined || field.type === "secret") return undefined;
  return field.type === "duration"
    ? TimeInternals.formatDuration(Number(value))
    : `${value as string | number | boolean}`;
}
