export { isUnchecked, observeQuestions, policyTables } from "./questions.ts";
