export { postgresql, type PostgresqlOptions } from "./postgresql.ts";
