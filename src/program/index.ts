export { argumentErrorMessage, printError } from "./format-error.ts";
export { type Host, outputTo, processHost, type Signal } from "./host.ts";
export { baseFields, shutdownTimeoutMs } from "./settings.ts";
