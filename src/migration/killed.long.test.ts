// killed.nightly.test.ts kills at more moments.
import { testKilledMigrators } from "../../test/database/killed-migrators.ts";

testKilledMigrators(20);
