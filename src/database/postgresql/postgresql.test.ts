import * as runner from "node:test";
import { postgresql as kind } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { databaseContract } from "../../testing/contracts/database/contract.ts";
import { postgresql } from "./postgresql.ts";

await withServer(kind, ({ url }) => {
  databaseContract("postgresql", { make: (options) => postgresql({ url, ...options }), url: () => url }, runner);
});
