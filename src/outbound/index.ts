export * as Outbound from "./outbound.ts";
