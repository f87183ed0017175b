import { isCommon } from "./common-passwords.ts";
import { countCharacters, mostCharacters } from "./length.ts";

/** What is known of the one whose password is judged. */
export interface PasswordContext {
  readonly email?: string | undefined;
}

/** Judges a password that somebody chooses: gives what is wrong with it, for people, or `undefined`. */
export type PasswordPolicy = (
  password: string,
  context: PasswordContext,
) => string | undefined | Promise<string | undefined>;

const fewestCharacters = 8;

/**
 * The policy when an application gives none: 8 to 4,096 characters of any kind, and none of those that are tried first
 * (OWASP ASVS 6.2.1, 6.2.5, 6.2.9): common words with a few digits or signs around them, rows of keys, repetitions, and
 * the address of the user.
 *
 * The words are few. Where ASVS 6.2.4 (3,000 passwords) or 6.2.12 (breached passwords) is the goal, wrap it.
 */
export function policy(password: string, { email }: PasswordContext): string | undefined {
  const characters = countCharacters(password);
  if (characters < fewestCharacters) return `Please take at least ${fewestCharacters} characters.`;
  if (characters > mostCharacters) return `Please take at most ${mostCharacters} characters.`;
  if (!password.isWellFormed()) return "This holds something that is no character.";
  if (isCommon(password, email)) return "This password is too easy to guess. Please take another.";
  return undefined;
}
