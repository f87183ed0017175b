export { App } from "./app/index.ts";
export { Authorization } from "./authorization/index.ts";
export { Cleaner } from "./cleaner/index.ts";
export { Configuration } from "./config/index.ts";
export {
  Command,
  Context,
  type ContextOptions,
  error,
  isError,
  LimmatError,
  ok,
  type Result,
  Service,
} from "./core/index.ts";
export { Decimal } from "./decimal/index.ts";
export { Migration, Seed } from "./migration/index.ts";
export * as Account from "./services/account/index.ts";
export * as Cache from "./services/cache/index.ts";
export * as Email from "./services/email/index.ts";
export * as Metrics from "./services/metrics/index.ts";
export * as Queue from "./services/queue/index.ts";
export * as Schedule from "./services/schedule/index.ts";
export * as Storage from "./services/storage/index.ts";
export * as Webhook from "./services/webhook/index.ts";
export { Language } from "./language/index.ts";
export { Log } from "./log/index.ts";
export { Outbound } from "./outbound/index.ts";
export { Password } from "./password/index.ts";
export { Random } from "./random/index.ts";
export { Form, Schema } from "./schema/index.ts";
export { Secret } from "./secret/index.ts";
export * as PasswordReset from "./services/password-reset/index.ts";
export * as Token from "./services/token/index.ts";
export * as User from "./services/user/index.ts";
export { Time } from "./time/index.ts";
export * as Web from "./web/index.ts";
// Also without a namespace: TypeScript names the inferred types of applications by these exports (`declaration`).
export type { Application as ApplicationValue } from "./app/index.ts";
export type { AuthorizationGuard } from "./authorization/index.ts";
export type { ConfigurationGroup, SecretKeys, SecretText } from "./config/index.ts";
export type { CommandValue, ConfigurationField, Environment as EnvironmentName, ServiceValue } from "./core/index.ts";
export type { DecimalValue } from "./decimal/index.ts";
export type { LanguageValue } from "./language/index.ts";
export type { Logger, Reporter } from "./log/index.ts";
export type { VerifiedWebhook, WebhookReceiver, WebhookSender } from "./services/webhook/index.ts";
