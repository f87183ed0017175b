import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as runner from "node:test";
import { mariadb as mariadbServer } from "../../../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../../../test/servers/postgresql.ts";
import { withServer } from "../../../../../test/servers/server.ts";
import { mariadb } from "../../../../database/mariadb/index.ts";
import { postgresql } from "../../../../database/postgresql/index.ts";
import { sqlite } from "../../../../database/sqlite/index.ts";
import { sqlCases } from "./sql-cases.test.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-queue-"));
runner.after(() => rmSync(folder, { recursive: true, force: true }));

sqlCases("SQLite", sqlite({ url: join(folder, "queue.sqlite"), synchronous: "normal" }));
await withServer(postgresqlServer, ({ url }) => sqlCases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => sqlCases("MariaDB", mariadb({ url })));
