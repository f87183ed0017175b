export * as Table from "./namespace.ts";
