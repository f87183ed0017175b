export { consoleReporter as console, fileReporter as file } from "./reporters.ts";
export { defaultReporters as defaults } from "./settings.ts";
