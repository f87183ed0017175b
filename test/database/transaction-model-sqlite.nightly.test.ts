// Random transactions on SQLite behave as their model, for minutes.
import { nightlyMsOf } from "../rounds.ts";
import { transactionModelCases } from "./transaction-model-cases.ts";

transactionModelCases.sqlite(200, nightlyMsOf("sqlite"));
