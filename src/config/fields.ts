import { type ConfigurationField, environments } from "../core/index.ts";
import { oneOf, secret, string } from "./field.ts";
import { environment } from "./sources.ts";

const developmentSecret = "development-secret-that-protects-nothing";

/** What stands for the secret in generated env files, until somebody makes one. */
export const placeholderSecret = "replace-me-by-the-output-of-the-command-random-32";

/** Secrets that everybody can read in the framework's own texts. Production refuses them. */
export const sampleSecrets: readonly string[] = [developmentSecret, placeholderSecret];

/** `FRAMEWORK_SECRET`: what all signatures come from. Outside production a fixed one serves when it is not set. */
export const secretField: ConfigurationField<string> = secret("FRAMEWORK_SECRET", {
  description: "what signs sessions, at least 32 random bytes: the command random makes one",
  required: ["production"],
  default: developmentSecret,
  validate: weakness,
});

/** `FRAMEWORK_SECRET_OLD`: former secrets, whose signatures are still good. */
export const oldSecretsField: ConfigurationField<string> = secret("FRAMEWORK_SECRET_OLD", {
  description: "former secrets that still verify, separated by commas",
  default: "",
  validate: (value) => splitSecrets(value).map(weakness).find(Boolean),
});

/** The keys that the framework itself reads, whatever services there are. */
export const fields: readonly ConfigurationField[] = [
  oneOf("FRAMEWORK_ENV", { values: environments, default: "development", description: "the environment" }),
  secretField,
  oldSecretsField,
  string("ROOT_PATH", { description: "the folder of the project" }),
  string("ENV_FILES_PATH", { description: "the folder of the env files, by default that of the project" }),
];

/** The secrets in a list that is separated by commas. */
export function splitSecrets(list: string): readonly string[] {
  return list
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

function weakness(value: string): string | undefined {
  if (environment() !== "production") return undefined;
  if (Buffer.byteLength(value) < 32) return "must have at least 32 bytes: the command random makes one";
  if (sampleSecrets.includes(value)) return "is a sample that everybody knows: the command random makes one";
  // The padding of base64 would be a second character.
  if (new Set(value.replace(/=+$/, "")).size < 2) return "is one character repeated: the command random makes one";
  return undefined;
}
