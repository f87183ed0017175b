export { writeAssets } from "./assets/write-assets.ts";
export { runDevelop } from "./develop.ts";
