import { Configuration, type ConfigurationField } from "../config/index.ts";
import type { Argon2Cost } from "./contract.ts";

/** Minimum cost in production: argon2id with 19 MiB, two passes, one lane (OWASP Password Storage Cheat Sheet). */
const productionMinimum = { memoryKiB: 19_456, passes: 2 } as const;

const atLeastInProduction =
  (minimum: number, unit: string) =>
  (value: number): string | undefined =>
    value < minimum && Configuration.environment() === "production"
      ? `must be at least ${minimum}${unit} in production`
      : undefined;

const passwordSettings = Configuration.group({
  memoryKiB: Configuration.int("PASSWORD_MEMORY", {
    description: "memory to hash one password, in KiB; a value below the default is for tests only",
    default: productionMinimum.memoryKiB,
    min: 8,
    max: 1_048_576,
    validate: atLeastInProduction(productionMinimum.memoryKiB, " KiB"),
  }),
  passes: Configuration.int("PASSWORD_PASSES", {
    description: "number of passes over that memory to hash one password; a value below the default is for tests only",
    default: productionMinimum.passes,
    min: 1,
    max: 100,
    validate: atLeastInProduction(productionMinimum.passes, ""),
  }),
});

/** Configuration fields of password hashing. Values below the defaults are for tests, and refused in production. */
export const passwordConfiguration: readonly ConfigurationField[] = passwordSettings.fields;

/** Returns the cost of a hash that is computed now. */
export function currentCost(): Argon2Cost {
  return { ...passwordSettings.read(), parallelism: 1 };
}
