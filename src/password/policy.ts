import { isCommonPassword } from "./common-passwords.ts";

/** Data about the user whose password is checked. */
export interface PasswordContext {
  readonly email?: string | undefined;
}

/** Checks a password that a user chooses. Returns a message for the user, or `undefined` if the password is accepted. */
export type PasswordPolicy = (
  password: string,
  context: PasswordContext,
) => string | undefined | Promise<string | undefined>;

const minPasswordCharacters = 8;
const maxPasswordCharacters = 4096;

/**
 * Default password policy: 8 to 4,096 characters of any kind, and no password that attackers try first (OWASP ASVS 6.2.1,
 * 6.2.5, 6.2.9). Refused are common words with a few digits or signs around them, keyboard sequences, repetitions, and the
 * address of the user.
 *
 * The word list is short. Wrap the policy to reach ASVS 6.2.4 (3,000 passwords) or 6.2.12 (breached passwords).
 */
export function policy(password: string, { email }: PasswordContext): string | undefined {
  const characters = countCharacters(password);
  if (characters < minPasswordCharacters) return `Please use at least ${minPasswordCharacters} characters.`;
  if (characters > maxPasswordCharacters) return `Please use at most ${maxPasswordCharacters} characters.`;
  if (!password.isWellFormed()) return "Please remove the invalid character.";
  if (isCommonPassword(password, email)) return "This password is too easy to guess. Please choose another one.";
  return undefined;
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
