import type { Contestant } from "../contestants/contestants.ts";
import { suites } from "../work/suites.ts";
import { defaultGroups, type Work } from "../work/work.ts";

export interface Choice {
  readonly works: readonly Work[];
  readonly contestants: readonly Contestant[];
}

/**
 * Selects benchmarks and contestants by words: groups and names of benchmarks, hosts and names of contestants. Words of one kind are
 * combined with "or", kinds with "and": `http json` is the benchmark json, `json routes bun` is two benchmarks on Bun. The name
 * of a suite is short for its benchmarks, and for its contestants unless others are named. Without a benchmark or group, those
 * of `defaultGroups` are selected, with `all` every benchmark.
 *
 * @throws Error for an unknown word
 */
export function choose(asked: readonly string[], works: readonly Work[], contestants: readonly Contestant[]): Choice {
  const namesWork = asked.some((word) => works.some(({ name, group }) => name === word || group === word));
  const isDefault = !namesWork && !asked.some((word) => word === "all" || Object.hasOwn(suites, word));
  const words = [...asked.flatMap((word) => expand(word, asked, contestants)), ...(isDefault ? defaultGroups : [])];
  const known = new Set<string>(["all", ...Object.keys(suites)]);
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

function expand(word: string, asked: readonly string[], contestants: readonly Contestant[]): readonly string[] {
  const suite = Object.hasOwn(suites, word) ? suites[word] : undefined;
  if (suite === undefined) return [word];
  const entrants = suite.contestants.filter((name) => contestants.some((contestant) => contestant.name === name));
  return asked.length === 1 ? [...suite.works, ...entrants, ...suite.hosts] : [...suite.works, ...suite.hosts];
}
