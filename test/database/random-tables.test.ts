// Random tables on every database equal a plain model. A failure names its seed.
import { rounds } from "../rounds.ts";
import { randomTableTests } from "./random-table-tests.ts";

// Even the first five tables have decimal numbers, and a column with the name of a total.
await randomTableTests({ first: 22, count: rounds(55) });
