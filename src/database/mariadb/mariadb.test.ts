import * as runner from "node:test";
import { mariadb as kind } from "../../../test/servers/mariadb.ts";
import { hasAllRounds } from "../../../test/rounds.ts";
import { withServer } from "../../../test/servers/server.ts";
import { databaseContract } from "limmat-contracts";
import type { Database } from "../database.ts";
import type { DatabaseOptions } from "../settings.ts";
import { mariadb } from "./mariadb.ts";

await withServer(kind, ({ url }) => {
  const make = (options?: DatabaseOptions): Database => mariadb({ url, ...options });
  databaseContract("mariadb", { make, url: () => url, isShort: !hasAllRounds }, runner);
});
