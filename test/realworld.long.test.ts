// Runs the tests of the RealWorld example on PostgreSQL and MariaDB, with another database in its service list.
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { testExampleOnServers } from "./servers/example.ts";

const folder = resolve(import.meta.dirname, "../examples/realworld");
// The operation tests are skipped: they check HTTP details that do not depend on the database.
const tests = globSync("test/*.test.ts", { cwd: folder }).filter((path) => !path.includes("operations"));

await testExampleOnServers("realworld", tests);
