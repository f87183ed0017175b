export * as Migration from "./migration.ts";
export * as Seed from "./seed/seed.ts";
export type { MigratedService } from "./service.ts";
