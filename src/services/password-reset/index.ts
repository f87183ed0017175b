export type { PasswordResetService, ResetMail, ResetUserService } from "./contract.ts";
export { type PasswordResetOptions, service } from "./service.ts";
export * as Web from "./web/router.ts";
export type { FormModel, View, Views } from "./web/views.ts";
