export * as Authorization from "./authorization.ts";
