import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Job } from "./contract.ts";
import { errors } from "./errors.ts";

/**
 * What is stored of an input: JSON, or nothing for a job that takes none. What the worker would refuse later is refused
 * here.
 *
 * @throws E_QUEUE_INPUT
 */
export async function encode(job: Job, input: unknown): Promise<string> {
  if (input === undefined) {
    await check(job, undefined);
    return "";
  }
  const text = stringify(job, input);
  await check(job, JSON.parse(text));
  return text;
}

/**
 * The input that is handled, of what was stored.
 *
 * @throws E_QUEUE_INPUT when the schema refuses it, as that of a newer version of the application may.
 */
export function decode(job: Job, text: string): Promise<unknown> {
  return check(job, text === "" ? undefined : JSON.parse(text));
}

async function check({ name, input: schema }: Job, value: unknown): Promise<unknown> {
  if (schema === undefined) return value;
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  throw errors.E_QUEUE_INPUT(name, result.issues.map(problemOf).join("; "));
}

function problemOf({ message, path = [] }: StandardSchemaV1.Issue): string {
  const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return place === "" ? message : `${place}: ${message}`;
}

function stringify(job: Job, input: unknown): string {
  // A schema says itself what it reads from JSON, such as a date from its text. Without one, what comes out of the queue
  // must be what went in.
  const foreign = job.input === undefined ? notJson(input, "the input") : undefined;
  if (foreign !== undefined) {
    throw errors.E_QUEUE_INPUT(job.name, `JSON cannot hold ${foreign}. Send what can be written, such as an id.`);
  }
  try {
    const text = JSON.stringify(input);
    if (typeof text === "string") return text;
  } catch (cause) {
    throw errors.E_QUEUE_INPUT(job.name, `JSON cannot hold it: ${String(cause)}`).causedBy(cause);
  }
  throw errors.E_QUEUE_INPUT(job.name, "JSON cannot hold it");
}

// Enough for what people make; programs that walk it must not run out of their stack.
const mostDepth = 100;

/** Where a value is that JSON would change or lose. A property that is `undefined` is one that is not there. */
function notJson(value: unknown, place: string, around: readonly unknown[] = []): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${place}, which is ${value}`;
  if (typeof value !== "object") return `${place}, which is of type ${typeof value}`;
  if (around.includes(value)) return `${place}, which holds itself`;
  if (around.length === mostDepth) return `${place}, which lies deeper than ${mostDepth} lists and records`;
  const inside = [...around, value];
  if (Array.isArray(value)) return first(value.entries(), (index) => `${place}[${index}]`, inside);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    return `${place}, which is a ${(value.constructor as { name?: string } | undefined)?.name ?? "special object"}`;
  }
  const properties = Object.entries(value).filter(([, property]) => property !== undefined);
  return first(properties, (key) => `${place}.${key}`, inside);
}

function first<Key>(
  entries: Iterable<readonly [Key, unknown]>,
  name: (key: Key) => string,
  around: readonly unknown[],
): string | undefined {
  for (const [key, value] of entries) {
    const found = notJson(value, name(key), around);
    if (found !== undefined) return found;
  }
  return undefined;
}
