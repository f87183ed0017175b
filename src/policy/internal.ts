export { isUnchecked, observeQuestions, type PolicyTable, policyTables, unchecked } from "./questions.ts";
