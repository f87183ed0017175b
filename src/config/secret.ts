import { hkdfSync } from "node:crypto";
import { BoundedMap, type ConfigurationField, environments } from "../core/index.ts";
import { oneOf, secret, splitList, string } from "./field.ts";
import { read } from "./read.ts";
import { hideContent, type SecretText } from "./secret-text.ts";
import { environment, memoize } from "./sources.ts";

const developmentSecret = "development-secret-that-protects-nothing";

/** Placeholder for the secret in generated env files. */
export const placeholderSecret = "replace-me-by-the-output-of-the-command-random-32";

/** Secrets that are public in the framework's sources. Production refuses them. */
export const sampleSecrets: readonly string[] = [developmentSecret, placeholderSecret];

const secretField: ConfigurationField<SecretText> = secret("FRAMEWORK_SECRET", {
  description: "the secret that signs sessions, at least 32 random bytes: the command random makes one",
  required: ["production"],
  default: developmentSecret,
  validate: findSecretProblem,
});

const oldSecretsField: ConfigurationField<SecretText> = secret("FRAMEWORK_SECRET_OLD", {
  description: "former secrets that still verify, separated by commas",
  default: "",
  validate: (value) => splitList(value).map(findSecretProblem).find(Boolean),
});

/** Fields that the framework itself reads, for every set of services. */
export const frameworkFields: readonly ConfigurationField[] = [
  oneOf("FRAMEWORK_ENV", { values: environments, default: "development", description: "the environment" }),
  secretField,
  oldSecretsField,
  string("ROOT_PATH", { description: "the folder of the project" }),
  string("ENV_FILES_PATH", { description: "the folder of the env files, by default the folder of the project" }),
];

/**
 * Returns `FRAMEWORK_SECRET`, or a fixed secret outside production when the key is not set. To sign, use
 * `Configuration.secretKeys`: each purpose has its own key.
 *
 * @throws E_CONFIGURATION_MISSING or E_CONFIGURATION_INVALID in production when it is missing, shorter than 32 bytes,
 * one character repeated, or a sample.
 */
export function readSecret(): string {
  return read(secretField).reveal();
}

/** Keys of one purpose. They print as `•••`. */
export interface SecretKeys {
  /** Key that signs: 32 bytes. */
  readonly current: Buffer;
  /** Keys that verify: the current one first, then the keys of former secrets. */
  readonly all: readonly Buffer[];
}

const keysByPurpose = memoize(() => new BoundedMap<string, SecretKeys>(1000));

/**
 * Returns the keys for one purpose, such as `"session"`. They are derived from `FRAMEWORK_SECRET` and
 * `FRAMEWORK_SECRET_OLD` by HKDF with SHA-256 (RFC 5869): a signature for one purpose is invalid for all others. Computed
 * once.
 *
 * @throws E_CONFIGURATION_MISSING or E_CONFIGURATION_INVALID under the conditions of `Configuration.readSecret`.
 */
export function secretKeys(purpose: string): SecretKeys {
  const cachedKeys = keysByPurpose().get(purpose);
  if (cachedKeys !== undefined) return cachedKeys;
  const derive = (text: string): Buffer => Buffer.from(hkdfSync("sha256", text, "limmat", purpose, 32));
  const current = derive(readSecret());
  const all = [current, ...splitList(read(oldSecretsField).reveal()).map(derive)];
  const keys = hideContent({ current, all });
  keysByPurpose().set(purpose, keys);
  return keys;
}

function findSecretProblem(value: string): string | undefined {
  if (environment() !== "production") return undefined;
  if (Buffer.byteLength(value) < 32) return "must have at least 32 bytes: the command random makes one";
  if (sampleSecrets.includes(value)) return "is a public sample: the command random makes a secret";
  // Strips the padding of base64, which would count as a second character.
  if (new Set(value.replace(/=+$/, "")).size < 2) return "is one character repeated: the command random makes one";
  return undefined;
}
