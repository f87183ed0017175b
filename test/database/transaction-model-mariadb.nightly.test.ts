// Random transactions on MariaDB behave as their model, for minutes.
import { nightlyMsOf } from "../rounds.ts";
import { transactionModelCases } from "./transaction-model-cases.ts";

await transactionModelCases.mariadb(200, nightlyMsOf("mariadb"));
