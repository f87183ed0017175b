export * as Cleaner from "./cleaner.ts";
