export type { Audit, AuditActor, AuditEntry, AuditEvent } from "./contract.ts";
export { type AuditOptions, service } from "./service.ts";
export * as Web from "./web/index.ts";
