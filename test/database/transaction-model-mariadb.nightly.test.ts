// 100,000 groups of random transactions on MariaDB behave as their model.
import { transactionModelCases } from "./transaction-model-cases.ts";

await transactionModelCases.mariadb(100_000);
