export * as Password from "./password.ts";
export { dummyHash, hashLimits, requireArgon2 } from "./argon2.ts";
export { ConcurrencyLimit } from "./concurrency-limit.ts";
export { passwordConfiguration } from "./settings.ts";
