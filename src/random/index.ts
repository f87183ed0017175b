export { constantTimeEqual } from "./constant-time.ts";
export * as Random from "./random.ts";
