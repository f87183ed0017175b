import type { UserDetails, UserErrors } from "./contract.ts";
import type { UserMessages } from "./messages.ts";

/** The fields of a user that hold a text of any kind, in the order of the table. */
export const detailNames: readonly (keyof UserDetails)[] = ["username", "name", "given_name"];

const longest = 255;

/** What is wrong with the texts of a user, by field. */
export function problemsOfDetails(
  details: Readonly<{ [Name in keyof UserDetails]?: string | null | undefined }>,
  messages: UserMessages,
): UserErrors {
  const wrong = detailNames.filter((name) => !canBeKept(details[name] ?? ""));
  return Object.fromEntries(wrong.map((name) => [name, messages.fieldInvalid]));
}

function canBeKept(text: string): boolean {
  const isShort = text.length <= longest || (text.length <= 2 * longest && Array.from(text).length <= longest);
  return isShort && text.isWellFormed() && !text.includes("\0");
}
