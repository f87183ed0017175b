import type { UserErrors, UserProfile } from "./contract.ts";
import type { UserMessages } from "./messages.ts";

/** Profile fields, in the order of the table columns. */
export const profileFields: readonly (keyof UserProfile)[] = ["username", "name", "given_name"];

const maxProfileCharacters = 255;

/** Validates the profile fields. Returns error messages by field. */
export function profileErrors(
  profile: Readonly<{ [Name in keyof UserProfile]?: string | null | undefined }>,
  messages: UserMessages,
): UserErrors {
  const invalidFields = profileFields.filter((field) => !isValidProfileText(profile[field] ?? ""));
  return Object.fromEntries(invalidFields.map((field) => [field, messages.fieldInvalid]));
}

function isValidProfileText(text: string): boolean {
  // A character takes at most two code units, so a longer text is over the limit without being split.
  const isShort =
    text.length <= maxProfileCharacters ||
    (text.length <= 2 * maxProfileCharacters && Array.from(text).length <= maxProfileCharacters);
  return isShort && text.isWellFormed() && !text.includes("\0");
}
