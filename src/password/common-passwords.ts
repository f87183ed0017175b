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
export function isCommonPassword(password: string, email: string | undefined): boolean {
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
