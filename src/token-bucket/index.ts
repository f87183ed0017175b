export { consumeToken, localAttempt, sharedAttempt, toDecision } from "./token-bucket.ts";
export type { RateLimit, RateLimitAttempt, RateLimitDecision } from "./token-bucket.ts";
