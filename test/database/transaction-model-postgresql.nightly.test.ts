// 100,000 groups of random transactions on PostgreSQL behave as their model.
import { transactionModelCases } from "./transaction-model-cases.ts";

await transactionModelCases.postgresql(100_000);
