export { type Address, defaultLimits, type Limits, type RequestObserver } from "../../http/server/index.ts";
export { type HttpDefinition, type HttpService, service } from "./service.ts";
