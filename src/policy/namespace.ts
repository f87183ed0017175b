export {
  type Actor,
  type Can,
  make,
  type Policy,
  type PolicyOptions as Options,
  type RowReference,
  System,
  system,
} from "./policy.ts";
export type { Rule, Rules, User } from "./rule.ts";
