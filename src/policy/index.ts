// Exports for the other modules. Those of `limmat/policy` are in `src/entry-points/policy.ts`.
export * as PolicyInternals from "./internal.ts";
