import type { Contestant } from "../contestants/contestants.ts";
import type { Work } from "../work/work.ts";

export interface Choice {
  readonly works: readonly Work[];
  readonly contestants: readonly Contestant[];
}

/**
 * Narrows a run by words: groups of work, names of work, hosts and names of contestants. Words of one kind add up, kinds
 * narrow each other: `http json` is the work json, `json routes bun` is two works on Bun. Throws on an unknown word.
 */
export function choose(words: readonly string[], works: readonly Work[], contestants: readonly Contestant[]): Choice {
  const known = new Set<string>();
  const narrow = <T>(all: readonly T[], name: (item: T) => string): readonly T[] => {
    for (const item of all) known.add(name(item));
    const named = all.filter((item) => words.includes(name(item)));
    return named.length > 0 ? named : all;
  };
  const narrowed = {
    works: narrow(
      narrow(works, ({ group }) => group),
      ({ name }) => name,
    ),
    contestants: narrow(
      narrow(contestants, ({ host }) => host),
      ({ name }) => name,
    ),
  };
  for (const work of works) known.add(work.name);
  for (const contestant of contestants) known.add(contestant.name);
  const unknown = words.find((word) => !known.has(word));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${[...known].join(", ")}`);
  return narrowed;
}
