export * as Authorization from "./authorization.ts";
export type { Guard as AuthorizationGuard } from "./authorization.ts";
export { type CurrentImpersonation, currentImpersonation, refuseImpersonator } from "./impersonation.ts";
