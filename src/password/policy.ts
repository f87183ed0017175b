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

const commonWords: ReadonlySet<string> = new Set(
  `abc abcd abcde abcdef abcdefg account admin administrator alexander amanda america android andrea andrew angel anthony apple
   april arsenal asdf asdfg asdfgh asdfghjkl ashley august austin autumn azerty babygirl bailey banana barcelona baseball
   basketball batman benutzer bienvenue bonjour buster butterfly canada changeit changeme charlie cheese chelsea chicken
   chocolate christian chris coffee computer contrasena contraseña cookie cowboys daniel december default demo diamond dragon
   eagle eagles einstein eminem facebook family february ferrari fireball flower football forever fortnite freedom friends
   fuckyou geheim george ginger golden google guest hallo hannah harley hello hellokitty herbst hockey hunter iloveme iloveyou
   internet iphone january jasmine jennifer jessica jesus jordan joshua july june juventus kennwort killer letmein liverpool login
   lovely loveme loveyou maggie manchester march marina martin master matrix matthew mercedes michael michelle microsoft minecraft
   monday monkey motdepasse mustang naruto nicole ninja november october office orange ordinateur pass passord passw passwd
   passwort password passwords patrick peanut pepper pepsi pikachu pirate pokemon porsche princess private purple qazwsx
   qwer qwert qwerty qwertyui qwertyuiop qwertz realmadrid robert root samantha samsung saturday school secret secure senha
   september server shadow silver simpsons snoopy soccer sommer spiderman spring starwars startrek summer sunday sunflower
   sunshine super superman superstar system taylor tester testing test thomas tigger tiger trustno user user vanessa welcome
   whatever willkommen william windows winter wordpass wolverine yankees yellow zaq zxcvbn zxcvbnm`.split(/\s+/),
);

const keyboardRows: readonly string[] = [
  "01234567890123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "1q2w3e4r5t6y7u8i9o0p",
  "q1w2e3r4t5y6u7i8o9p0",
  "qazwsxedcrfvtgbyhnujmikolp",
  "zaq12wsxcde34rfvbgt56yhn",
  "147258369",
  "159753159753",
  "123qweasdzxc",
  "a1b2c3d4e5f6g7h8i9j0",
];
const sequences = keyboardRows.flatMap((row) => [row, Array.from(row).toReversed().join("")]);

// Above this length a password is strong enough even if it begins with a common word.
const maxCheckedLength = 64;
const minRepeatedLength = 8;

/** Returns true if a password is one that attackers try first. The rules are those of `policy`. */
function isCommonPassword(password: string, email: string | undefined): boolean {
  if (password.length > maxCheckedLength) return false;
  const lowerCased = password.toLowerCase();
  const repeated = /^(.+?)\1+$/su.exec(lowerCased)?.[1];
  if (repeated !== undefined) return repeated.length < minRepeatedLength || isCommonPassword(repeated, email);
  if (sequences.some((sequence) => sequence.includes(lowerCased))) return true;
  const address = email?.trim().toLowerCase();
  if (lowerCased === address) return true;
  const localPart = address?.split("@")[0];
  const core = stripAffixes(lowerCased);
  return core === localPart || [core, undoSubstitutions(core)].some((word) => commonWords.has(word));
}

/** Removes the few digits and signs that users add around a word. */
function stripAffixes(text: string): string {
  return text.replace(/^[^\p{L}]{0,4}(?=.*\p{L})/u, "").replace(/[^\p{L}]{1,5}$/u, "");
}

const substitutions: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};

/** Replaces the digits and signs that stand for letters: `p@ssw0rd` becomes `password`. */
const undoSubstitutions = (word: string): string =>
  word.replaceAll(/[013457@$!]/g, (sign) => substitutions[sign] ?? sign);
