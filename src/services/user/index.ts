export * as Authorization from "./authorization.ts";
export { Password } from "./password/index.ts";
export * as User from "./user.ts";
