// Functions for other modules and for tests of the framework. They are not part of the public namespace.
export { hmacSha256 } from "./hmac-sha256.ts";
export { base64url, seededSource, useSource } from "./random.ts";
