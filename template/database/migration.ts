import { greetings } from "./migration/greetings.ts";

/** All migrations, in the order of execution. */
export const migrations = [greetings];
