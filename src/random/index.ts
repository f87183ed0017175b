export * as Random from "./random.ts";
