export { superviseWorkers, type WorkerSupervision } from "./supervise-workers.ts";
