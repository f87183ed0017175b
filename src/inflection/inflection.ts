/**
 * Plural and singular of English words, by the rules that a school teaches and the exceptions that tables are named
 * after. Where it is wrong, the flag `--plural` is right.
 */

const irregular: ReadonlyMap<string, string> = new Map([
  ["axis", "axes"],
  ["child", "children"],
  ["criterion", "criteria"],
  ["datum", "data"],
  ["foot", "feet"],
  ["goose", "geese"],
  ["man", "men"],
  ["medium", "media"],
  ["mouse", "mice"],
  ["person", "people"],
  ["quiz", "quizzes"],
  ["tooth", "teeth"],
  ["woman", "women"],
]);

const unchanged: ReadonlySet<string> = new Set([
  "aircraft",
  "equipment",
  "feedback",
  "fish",
  "information",
  "metadata",
  "money",
  "news",
  "series",
  "sheep",
  "software",
  "species",
]);

const plurals: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/(analy|ba|cri|diagno|synop|the)sis$/, "$1ses"],
  [/([^aeiou])y$/, "$1ies"],
  [/(qu)y$/, "$1ies"],
  [/(ind|vert|matr|append)(?:ex|ix)$/, "$1ices"],
  [/(kni|li|wi)fe$/, "$1ves"],
  [/(cal|hal|hoo|lea|loa|scar|sel|shel|thie|wol)f$/, "$1ves"],
  [/(ech|her|potat|tomat|vet)o$/, "$1oes"],
  [/(s|x|z|ch|sh)$/, "$1es"],
  [/$/, "s"],
];

const singulars: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/(analy|(?<!data)ba|cri|diagno|synop|the)ses$/, "$1sis"],
  [/(cache|cookie|movie|pie|rookie|selfie|tie|zombie)s$/, "$1"],
  [/([^aeiou]|qu)ies$/, "$1y"],
  [/(ind|vert)ices$/, "$1ex"],
  [/(matr|append)ices$/, "$1ix"],
  [/(kni|li|wi)ves$/, "$1fe"],
  [/(cal|hal|hoo|lea|loa|scar|sel|shel|thie|wol)ves$/, "$1f"],
  [/(ech|her|potat|tomat|vet)oes$/, "$1o"],
  [/([^aeo]us|ss|x|zz|ch|sh)es$/, "$1"],
  [/(us|ss|is|as)$/, "$1"],
  [/s$/, ""],
];

/** The plural of a word in lower case; of several words with `_` between them, the last changes. */
export function pluralOf(word: string): string {
  return lastChanged(word, (last) => {
    if (unchanged.has(last)) return last;
    return irregular.get(last) ?? replaced(last, plurals);
  });
}

/** The singular of a word in lower case; a word that is no plural comes back as it is. */
export function singularOf(word: string): string {
  return lastChanged(word, (last) => {
    if (unchanged.has(last)) return last;
    for (const [singular, plural] of irregular) if (plural === last) return singular;
    return replaced(last, singulars);
  });
}

function lastChanged(word: string, change: (last: string) => string): string {
  const start = word.lastIndexOf("_") + 1;
  return word.slice(0, start) + change(word.slice(start));
}

function replaced(word: string, rules: readonly (readonly [RegExp, string])[]): string {
  const rule = rules.find(([pattern]) => pattern.test(word));
  return rule === undefined ? word : word.replace(rule[0], rule[1]);
}
