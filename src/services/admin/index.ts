export type { AuditTrail, RouterOptions } from "./web/options.ts";
export { adminRouter as router } from "./web/router.ts";
export { type AdminTable as TableValue, type AdminTableOptions as TableOptions, table, users } from "./web/table.ts";
