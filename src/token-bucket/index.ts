export {
  consumeToken,
  localAttempt,
  type RateLimit,
  type RateLimitAttempt,
  type RateLimitDecision,
  sharedAttempt,
  toDecision,
} from "./token-bucket.ts";
