// Random transactions on PostgreSQL behave as their model, for minutes.
import { nightlyMsOf } from "../rounds.ts";
import { transactionModelCases } from "./transaction-model-cases.ts";

await transactionModelCases.postgresql(200, nightlyMsOf("postgresql"));
