export * as Policy from "../policy/namespace.ts";
export type { Policy as PolicyValue } from "../policy/policy.ts";
