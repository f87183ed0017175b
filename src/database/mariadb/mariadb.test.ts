import * as runner from "node:test";
import { mariadb as kind } from "../../../test/servers/mariadb.ts";
import { withServer } from "../../../test/servers/server.ts";
import { databaseContract } from "../../testing/contracts/database/contract.ts";
import { mariadb } from "./mariadb.ts";

await withServer(kind, ({ url }) => {
  databaseContract("mariadb", { make: (options) => mariadb({ url, ...options }), url: () => url }, runner);
});
