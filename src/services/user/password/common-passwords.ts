const words: ReadonlySet<string> = new Set(
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

const rows: readonly string[] = [
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
const sequences = rows.flatMap((row) => [row, Array.from(row).toReversed().join("")]);

// Above this length a password is worth more than what it begins with.
const longest = 64;
const shortest = 8;

/** Whether a password is one of those that are tried first: see `policy`. */
export function isCommon(password: string, email: string | undefined): boolean {
  if (password.length > longest) return false;
  const plain = password.toLowerCase();
  const unit = /^(.+?)\1+$/su.exec(plain)?.[1];
  if (unit !== undefined) return unit.length < shortest || isCommon(unit, email);
  if (sequences.some((sequence) => sequence.includes(plain))) return true;
  const address = email?.trim().toLowerCase();
  if (plain === address) return true;
  const own = address?.split("@")[0];
  const core = coreOf(plain);
  return core === own || [core, withoutDisguise(core)].some((word) => words.has(word));
}

/** A text without the few digits and signs that people put around a word. */
function coreOf(text: string): string {
  return text.replace(/^[^\p{L}]{0,4}(?=.*\p{L})/u, "").replace(/[^\p{L}]{1,5}$/u, "");
}

const disguises: Readonly<Record<string, string>> = {
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

const withoutDisguise = (word: string): string => word.replaceAll(/[013457@$!]/g, (sign) => disguises[sign] ?? sign);
