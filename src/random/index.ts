export { constantTimeEqual } from "./constant-time.ts";
export * as RandomInternals from "./internal.ts";
export * as Random from "./namespace.ts";
