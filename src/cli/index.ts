export { errors } from "./errors.ts";
export { type Host, outputTo, processHost, type Signal } from "./host.ts";
export { type Program, run } from "./run.ts";
export { baseFields } from "./settings.ts";
export { superviseWorkers } from "./workers/supervise-workers.ts";
