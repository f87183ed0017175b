export { bytes, hex, int, type RandomSource, token, uuid, uuid7 } from "./random.ts";
