import { greetings } from "./migration/greetings.ts";

/** All migrations, in the order in which they run. */
export const migrations = [greetings];
