import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { JobDefinition } from "../contract.ts";
import { errors } from "../errors.ts";

/** Encodes an input as JSON, an absent one as an empty text. @throws E_QUEUE_INPUT if `decodeInput` would throw it. */
export async function encodeInput(definition: JobDefinition, input: unknown): Promise<string> {
  if (input === undefined) {
    await validate(definition, undefined);
    return "";
  }
  const text = stringify(definition, input);
  await validate(definition, JSON.parse(text));
  return text;
}

/** Decodes a stored input. @throws E_QUEUE_INPUT if the schema rejects it, which may be newer than the input. */
export function decodeInput(definition: JobDefinition, text: string): Promise<unknown> {
  return validate(definition, text === "" ? undefined : JSON.parse(text));
}

async function validate({ name, input: schema }: JobDefinition, value: unknown): Promise<unknown> {
  if (schema === undefined) return value;
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  throw errors.E_QUEUE_INPUT(name, result.issues.map(formatIssue).join("; "));
}

function formatIssue({ message, path = [] }: StandardSchemaV1.Issue): string {
  const location = path.map((segment) => String(typeof segment === "object" ? segment.key : segment)).join(".");
  return location === "" ? message : `${location}: ${message}`;
}

function stringify({ name, input: schema }: JobDefinition, input: unknown): string {
  // A schema can restore values from JSON, such as a date from its text. Without a schema, the decoded input must equal
  // the dispatched one.
  const problem = schema === undefined ? findNonJson(input, "the input") : undefined;
  if (problem !== undefined) {
    throw errors.E_QUEUE_INPUT(name, `JSON cannot represent ${problem}. Send a value that it can, such as an ID.`);
  }
  try {
    const text = JSON.stringify(input);
    if (typeof text === "string") return text;
  } catch (cause) {
    throw errors.E_QUEUE_INPUT(name, `JSON cannot represent it: ${String(cause)}`).causedBy(cause);
  }
  throw errors.E_QUEUE_INPUT(name, "JSON cannot represent it");
}

// Bounds the recursion, so that a deeply nested input cannot overflow the stack.
const maxDepth = 100;

/** Describes the first value that JSON would change or lose. A property that is `undefined` counts as absent. */
function findNonJson(value: unknown, location: string, ancestors: readonly unknown[] = []): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${location}, which is ${value}`;
  if (typeof value !== "object") return `${location}, which is of type ${typeof value}`;
  if (ancestors.includes(value)) return `${location}, which contains itself`;
  if (ancestors.length === maxDepth) return `${location}, which is nested deeper than ${maxDepth} levels`;
  const path = [...ancestors, value];
  if (Array.isArray(value)) return findInEntries(value.entries(), (index) => `${location}[${index}]`, path);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return `${location}, which is a ${(value.constructor as { name?: string } | undefined)?.name ?? "special object"}`;
  }
  const properties = Object.entries(value).filter(([, property]) => property !== undefined);
  return findInEntries(properties, (key) => `${location}.${key}`, path);
}

function findInEntries<Key>(
  entries: Iterable<readonly [Key, unknown]>,
  locate: (key: Key) => string,
  ancestors: readonly unknown[],
): string | undefined {
  for (const [key, value] of entries) {
    const problem = findNonJson(value, locate(key), ancestors);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
