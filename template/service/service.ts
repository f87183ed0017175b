// Creates the services of the application and chooses their backends.
import { Migration, Token } from "limmat";
import { sqlite } from "limmat/database/sqlite";
import * as Idempotency from "limmat/idempotency";
import { migrations } from "../database/migration.ts";

export const database = sqlite();
export const migration = Migration.service({ database, migrations });
export const token = Token.sql({ database });
export const idempotency = Idempotency.sql({ database });
