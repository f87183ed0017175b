// Runs the tests of the shop on PostgreSQL and MariaDB, with another database in its service list.
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { testExampleOnServers } from "./servers/example.ts";

const folder = resolve(import.meta.dirname, "../examples/shop");
// The account tests are skipped: the services of accounts have tests of their own on all databases.
const tests = globSync("test/*.test.ts", { cwd: folder }).filter((path) => !path.includes("account"));

await testExampleOnServers("shop", tests);
