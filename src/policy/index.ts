// Entry point `limmat/policy`.
export * as Policy from "./namespace.ts";
export type { Policy as PolicyValue } from "./policy.ts";
