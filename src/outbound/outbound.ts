export { fetch, type OutboundOptions } from "./fetch.ts";
export { allowedOriginsField, findUrlProblem } from "./target.ts";
