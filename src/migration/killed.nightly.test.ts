import { testKilledMigrators } from "../../test/database/killed-migrators.ts";

testKilledMigrators(50);
