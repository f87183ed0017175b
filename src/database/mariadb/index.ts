export { mariadb, type MariadbOptions } from "./mariadb.ts";
