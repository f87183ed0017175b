export type { Argon2Backend } from "../contract.ts";
export { nodeRsArgon2 } from "./node-rs.ts";
