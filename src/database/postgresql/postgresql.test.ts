import * as runner from "node:test";
import { postgresql as kind } from "../../../test/servers/postgresql.ts";
import { hasAllRounds } from "../../../test/rounds.ts";
import { withServer } from "../../../test/servers/server.ts";
import { databaseContract } from "limmat-contracts";
import type { Database } from "../database.ts";
import type { DatabaseOptions } from "../settings.ts";
import { postgresql } from "./postgresql.ts";

await withServer(kind, ({ url }) => {
  const make = (options?: DatabaseOptions): Database => postgresql({ url, ...options });
  databaseContract("postgresql", { make, url: () => url, isShort: !hasAllRounds }, runner);
});
