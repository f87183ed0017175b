export {
  type Attempt,
  attemptOf,
  type Decision,
  decisionOf,
  exactAttemptOf,
  type Quota,
  takeFrom,
} from "./token-bucket.ts";
