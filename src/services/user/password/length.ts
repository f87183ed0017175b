/** The most characters (code points) of a password. */
export const mostCharacters = 4096;

/** How many characters a text has, counted no further than needed to know that they are more than `most`. */
export function countCharacters(text: string, most: number = mostCharacters): number {
  // A character takes at most two code units.
  return text.length > 2 * most ? most + 1 : Array.from(text).length;
}

/** Whether a text can be somebody's password: long ones are refused before they are hashed. */
export function isPossible(password: string): boolean {
  return password !== "" && countCharacters(password) <= mostCharacters && password.isWellFormed();
}
