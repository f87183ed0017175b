export { isUnchecked, observeQuestions, type PolicyTable, policyTables } from "./questions.ts";
