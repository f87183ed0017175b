// Runs the tests of the shop on PostgreSQL and MariaDB, with another database in its service list.
import { testExampleOnServers } from "./servers/example.ts";

await testExampleOnServers("shop", ["test/all.ts"]);
