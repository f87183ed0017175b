export * as SecretInternals from "./aead.ts";
export * as Secret from "./namespace.ts";
