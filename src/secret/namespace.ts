export { open, type PurposeOptions, seal, type SealOptions } from "./secret.ts";
