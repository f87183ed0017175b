import { LanguageInternals } from "../language/index.ts";

/** Data about the user whose password is checked. */
export interface PasswordContext {
  readonly email?: string | undefined;
  /** Further words that make a password easy to guess, such as the names of the organisation and its products. */
  readonly words?: readonly string[] | undefined;
}

/** Checks a password that a user chooses. Returns a message for the user, or `undefined` if the password is accepted. */
export type PasswordPolicy = (
  password: string,
  context: PasswordContext,
) => string | undefined | Promise<string | undefined>;

const minPasswordCharacters = 8;
const maxPasswordCharacters = 4096;
const maxCheckedLength = 64;

/**
 * Default password policy: 8 to 4,096 characters of any kind, and no password that attackers try first (OWASP ASVS 6.2.1,
 * 6.2.4, 6.2.5, 6.2.9, 6.2.11). Refused are the 3,000 best-known passwords, common words with a few digits or signs around
 * them, dates, keyboard sequences, repetitions, the address of the user, and passwords made of the name of the application:
 * the host names of `APP_URL` and `ALLOWED_HOSTS`, and the name in its `package.json`.
 *
 * Wrap the policy to add words of the application, or to reach ASVS 6.2.12 (breached passwords).
 *
 * @throws E_CONFIGURATION_FILE if the env files cannot be read
 * @example
 * const policy: Password.PasswordPolicy = (password, context) =>
 *   Password.policy(password, { ...context, words: ["acme", "rocket"] });
 */
export async function policy(password: string, context: PasswordContext): Promise<string | undefined> {
  const characters = countCharacters(password);
  const texts = LanguageInternals.frameworkTexts().services.user;
  if (characters < minPasswordCharacters) return texts.passwordTooShort(minPasswordCharacters);
  if (characters > maxPasswordCharacters) return texts.passwordTooLong(maxPasswordCharacters);
  if (!password.isWellFormed()) return texts.passwordCharacter;
  // Above this length a password is strong enough even if it begins with a common word.
  if (password.length > maxCheckedLength) return undefined;
  // Few processes check a password, so the rules load on demand (docs/decisions/017).
  const { isEasyToGuess } = await import("./common-passwords.ts");
  return isEasyToGuess(password, context) ? texts.passwordEasy : undefined;
}

/** Returns true if a text can be a password. Texts over the limit are refused before they are hashed. */
export function isValidPassword(password: string): boolean {
  return password !== "" && countCharacters(password) <= maxPasswordCharacters && password.isWellFormed();
}

/** Counts the characters (code points) of a text, up to one over the limit. */
function countCharacters(text: string): number {
  // A character takes at most two code units, so a longer text is over the limit without being split.
  return text.length > 2 * maxPasswordCharacters ? maxPasswordCharacters + 1 : Array.from(text).length;
}
