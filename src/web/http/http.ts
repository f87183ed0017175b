export type { Address } from "./configuration.ts";
export { type HttpDefinition, type HttpService, service } from "./service.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export type { RequestObserver } from "./observer.ts";
