// Random transactions behave as their model. The nightly files of the same name run many more.
import { transactionModelCases } from "./transaction-model-cases.ts";

const count = 60;
transactionModelCases.sqlite(count);
await transactionModelCases.postgresql(count);
await transactionModelCases.mariadb(count);
