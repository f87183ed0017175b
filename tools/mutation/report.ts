import type { Equivalent } from "./equivalent.ts";

/** How many changes of a subject were tried, and which of them no test noticed. */
export interface Score {
  readonly name: string;
  readonly tried: number;
  /** Not tried: known to make no difference. */
  readonly equivalent: number;
  readonly survivors: readonly string[];
}

const noticed = ({ tried, survivors }: Score): number => tried - survivors.length;
const percent = (score: Score): string => `${((100 * noticed(score)) / Math.max(1, score.tried)).toFixed(1)} %`;

/** A score for a person at a terminal. */
export const scoreLine = (score: Score): string =>
  `${score.name}: ${noticed(score)} of ${score.tried} noticed, ${percent(score)}`;

/** The page `docs/reference/mutation.md`. */
export function report(scores: readonly Score[], equivalents: readonly Equivalent[]): string {
  return [
    "# How well the tests test",
    "",
    "Each row counts programs that differ from ours in one place, such as `<` for `<=`, a condition that always holds, a statement",
    "left out, an empty text, or a regular expression without its end, and how many of them the tests noticed. Types, comments and",
    "sentences for people are left alone. Made by `node --conditions=@limmat/source tools/mutation/mutation.ts`.",
    "",
    "| Module | Changes | Noticed | Score | Left out |",
    "| --- | ---: | ---: | ---: | ---: |",
    ...scores.map(
      (score) => `| ${score.name} | ${score.tried} | ${noticed(score)} | ${percent(score)} | ${score.equivalent} |`,
    ),
    "",
    "## Not noticed",
    "",
    ...scores.flatMap(({ name, survivors }) =>
      survivors.length === 0 ? [] : [`### ${name}`, "", "```text", ...survivors, "```", ""],
    ),
    "## Left out",
    "",
    "These changes make no difference that anybody could notice.",
    "",
    ...equivalents.flatMap(({ file, why, changes }) => [
      `\`${file}\`: ${why}`,
      "",
      "```diff",
      ...changes.flatMap(([was, becomes]) => [`-${was}`, `+${becomes}`]),
      "```",
      "",
    ]),
  ].join("\n");
}
