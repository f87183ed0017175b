export type { Value as DecimalValue } from "./decimal.ts";
export * as Decimal from "./decimal.ts";
export { addParts, type DecimalParts, formatParts, multiplyParts, negateParts } from "./parts.ts";
