import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { userContract } from "./user-contract.ts";

await withServer(postgresqlServer, ({ url }) => userContract("PostgreSQL", () => postgresql({ url })));

await withServer(mariadbServer, ({ url }) => userContract("MariaDB", () => mariadb({ url })));
