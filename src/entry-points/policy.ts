export type { Access as PolicyAccess } from "../policy/access.ts";
export * as Policy from "../policy/namespace.ts";
export type { Policy as PolicyValue, System as PolicySystem } from "../policy/policy.ts";
export type { Rules as PolicyRules, User as PolicyUser } from "../policy/rule.ts";
