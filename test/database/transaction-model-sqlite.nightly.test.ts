// 100,000 groups of random transactions on SQLite behave as their model.
import { transactionModelCases } from "./transaction-model-cases.ts";

transactionModelCases.sqlite(100_000);
