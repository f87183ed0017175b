// Random tables on every database equal a plain model. A failure names its seed.
import { rounds } from "../rounds.ts";
import { randomTableTests } from "./random-table-tests.ts";

await randomTableTests(0, rounds(55));
