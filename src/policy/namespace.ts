export { type Access, access, type AccessOptions } from "./access.ts";
export {
  type Actor,
  type Can,
  type FieldActions,
  make,
  type Policy,
  type PolicyOptions as Options,
  type RowReference,
  System,
  system,
} from "./policy.ts";
export { unchecked } from "./questions.ts";
export { type Rule, type Rules, rules, type User } from "./rule.ts";
