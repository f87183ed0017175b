export { requests } from "./request-metrics.ts";
export { type MetricsOptions, router } from "./router.ts";
