export { errors } from "./errors.ts";
export { type Host, outputTo, type Signal } from "./host.ts";
export type { Program } from "./program.ts";
export { processHost } from "./process-host.ts";
export { run } from "./run.ts";
export { baseFields } from "./settings.ts";
export { editDistance } from "./suggest.ts";
export { superviseWorkers } from "./workers/supervise-workers.ts";
