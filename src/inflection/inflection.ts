// Plural and singular of English words: regular rules, and the exceptions that are common as table names. The flag
// `--plural` of the generators overrides a wrong result.

const irregularPlurals: ReadonlyMap<string, string> = new Map([
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

const uncountable: ReadonlySet<string> = new Set(
  "aircraft equipment feedback fish information metadata money news series sheep software species".split(" "),
);

const pluralRules: readonly (readonly [pattern: RegExp, replacement: string])[] = [
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

const singularRules: readonly (readonly [pattern: RegExp, replacement: string])[] = [
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

/** Returns the plural of a word in lower case. Of words joined by `_`, only the last one changes. */
export function pluralize(word: string): string {
  return changeLastWord(word, (last) => {
    if (uncountable.has(last)) return last;
    return irregularPlurals.get(last) ?? applyFirstRule(last, pluralRules);
  });
}

/** Returns the singular of a word in lower case. A word that is not plural stays unchanged. */
export function singularize(word: string): string {
  return changeLastWord(word, (last) => {
    if (uncountable.has(last)) return last;
    for (const [singular, plural] of irregularPlurals) if (plural === last) return singular;
    return applyFirstRule(last, singularRules);
  });
}

function changeLastWord(word: string, change: (last: string) => string): string {
  const start = word.lastIndexOf("_") + 1;
  return word.slice(0, start) + change(word.slice(start));
}

function applyFirstRule(word: string, rules: readonly (readonly [RegExp, string])[]): string {
  const rule = rules.find(([pattern]) => pattern.test(word));
  return rule === undefined ? word : word.replace(rule[0], rule[1]);
}
