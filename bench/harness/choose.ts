import type { Contestant } from "../contestants/contestants.ts";
import type { Work } from "../work/work.ts";

export interface Choice {
  readonly works: readonly Work[];
  readonly contestants: readonly Contestant[];
}

/**
 * Selects benchmarks and contestants by words: groups and names of benchmarks, hosts and names of contestants. Words of one kind are
 * combined with "or", kinds with "and": `http json` is the benchmark json, `json routes bun` is two benchmarks on Bun.
 *
 * @throws Error for an unknown word
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
  if (unknown !== undefined) throw new Error(`Unknown word "${unknown}". Use: ${[...known].join(", ")}`);
  return narrowed;
}
