export { base64url, bytes, hex, int, type RandomSource, token, uuid } from "./random.ts";
