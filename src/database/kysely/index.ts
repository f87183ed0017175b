export { kysely, type KyselyOptions } from "./kysely.ts";
