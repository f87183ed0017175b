import { Configuration, type ConfigurationField } from "../../../config/index.ts";
import type { Cost } from "./phc.ts";

/** The least that production takes: OWASP Password Storage Cheat Sheet, argon2id with 19 MiB, two passes, one lane. */
const least = { memory: 19_456, passes: 2 } as const;

const notBelow =
  (limit: number, unit: string) =>
  (value: number): string | undefined =>
    value < limit && Configuration.environment() === "production"
      ? `must be at least ${limit}${unit} in production`
      : undefined;

const settings = Configuration.group({
  memory: Configuration.int("PASSWORD_MEMORY", {
    description: "KiB of memory that hashing one password takes; less than the default is for tests only",
    default: least.memory,
    min: 8,
    max: 1_048_576,
    validate: notBelow(least.memory, " KiB"),
  }),
  passes: Configuration.int("PASSWORD_PASSES", {
    description: "how often hashing one password goes over that memory; less than the default is for tests only",
    default: least.passes,
    min: 1,
    max: 100,
    validate: notBelow(least.passes, ""),
  }),
});

/** What hashing reads. Less than the defaults is for tests, and refused in production. */
export const passwordConfiguration: readonly ConfigurationField[] = settings.fields;

/** What a hash costs that is made now. */
export function currentCost(): Cost {
  return { ...settings.read(), parallelism: 1 };
}
