import { type ConfigurationField, isError, type LimmatError } from "../core/index.ts";
import { Time } from "../time/index.ts";
import { errors, type Problem } from "./errors.ts";
import { environment, find } from "./sources.ts";

/** What there is to know about a key without its value. */
export interface Description {
  readonly key: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The default as a text, `undefined` when there is none or when it is secret. */
  readonly default: string | undefined;
  readonly isSet: boolean;
  /** Where the value comes from, `undefined` when the key is not set. */
  readonly source: string | undefined;
}

/** Gives all that is missing or wrong in these fields, each key once; nothing when they can all be read. */
export function check(fields: readonly ConfigurationField[]): readonly Problem[] {
  try {
    // What is missing depends on the environment and on the files: without them there is nothing more to say.
    find("");
  } catch (cause) {
    if (!isError(cause)) throw cause;
    const { key, problem } = cause as LimmatError & Problem;
    return [{ key, problem }];
  }
  const problems = new Map<string, Problem>();
  for (const field of fields) {
    const problem = problemOf(field);
    if (problem !== undefined && !problems.has(field.key)) problems.set(field.key, { key: field.key, problem });
  }
  return [...problems.values()];
}

/**
 * Checks fields.
 *
 * @throws E_CONFIGURATION with the whole report as its message when anything is missing or wrong.
 */
export function require(fields: readonly ConfigurationField[]): void {
  const problems = check(fields);
  if (problems.length > 0) throw errors.E_CONFIGURATION(report(problems));
}

/** Writes problems down for people, one per line, with what to do next. */
export function report(problems: readonly Problem[]): string {
  const width = Math.max(...problems.map(({ key }) => key.length));
  return [
    "The configuration is incomplete or wrong:",
    "",
    ...problems.map(({ key, problem }) => `  ${key.padEnd(width)}  ${problem}`),
    "",
    "Set these keys in the process environment or in an env file. The command config lists all keys.",
  ].join("\n");
}

/**
 * Describes a field and the state of its key.
 *
 * @throws E_CONFIGURATION_INVALID or E_CONFIGURATION_FILE when the sources cannot be read.
 */
export function describe(field: ConfigurationField): Description {
  const { key, type, description } = field;
  const source = find(key)?.source;
  return {
    key,
    type,
    description,
    isRequired: field.isRequired(environment()),
    default: defaultText(field),
    isSet: source !== undefined,
    source,
  };
}

function problemOf(field: ConfigurationField): string | undefined {
  const found = find(field.key);
  if (found === undefined) return field.isRequired(environment()) ? `is not set (${field.description})` : undefined;
  const parsed = field.parse(found.value);
  return parsed.ok ? undefined : `${parsed.error} (read from: ${found.source})`;
}

function defaultText(field: ConfigurationField): string | undefined {
  const value = field.default(environment());
  if (value === undefined || field.type === "secret") return undefined;
  return field.type === "duration" ? Time.formatDuration(Number(value)) : `${value as string | number | boolean}`;
}
