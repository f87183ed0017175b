// Random tables of other seeds each night equal a plain model on every database. A failure names its seed.
import { Random } from "limmat";
import { nightlyMsOf } from "../rounds.ts";
import { randomTableTests } from "./random-table-tests.ts";

await randomTableTests({ first: Random.int(1000, 1_000_000_000), durationMs: nightlyMsOf("tables") });
