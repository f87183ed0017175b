export { observeQuestions, policyTables } from "./questions.ts";
