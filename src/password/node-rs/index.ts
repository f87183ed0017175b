export { nodeRsArgon2 } from "./node-rs.ts";
