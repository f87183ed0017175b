export type { PasswordResetService, ResetMail, ResetMessage, ResetUsers } from "./contract.ts";
export { type PasswordResetOptions, service } from "./service.ts";
export type { FormModel, View, Views } from "./pages/views.ts";
export * as Web from "./web.ts";
