// Runs the tests of the tracker on PostgreSQL and MariaDB, with another database in its service list.
import { testExampleOnServers } from "./servers/example.ts";

await testExampleOnServers("tracker", ["test/all.ts"]);
