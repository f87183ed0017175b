export { writeAssets } from "./assets/write-assets.ts";
export { develop, runDevelop } from "./develop.ts";
