export * as Password from "./password.ts";
export { demandArgon2, gateOptions } from "./argon2.ts";
export { Gate } from "./gate.ts";
export { mostCharacters } from "./length.ts";
export { passwordConfiguration } from "./settings.ts";
