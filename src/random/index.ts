export { constantTimeEqual } from "./random.ts";
export * as RandomInternals from "./internal.ts";
export * as Random from "./namespace.ts";
