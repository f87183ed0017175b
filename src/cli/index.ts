export { errors } from "./errors.ts";
export { type Program, run } from "./run.ts";
