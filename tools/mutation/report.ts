import type { Equivalent } from "./equivalent.ts";

/** Result of the mutation tests of a subject. */
export interface Score {
  readonly name: string;
  readonly mutantCount: number;
  /** Mutants that no test killed. */
  readonly survivors: readonly string[];
  /** Equivalent mutants, which were not run. */
  readonly skipped: readonly Equivalent[];
}

const introduction = `# Mutation scores

A mutant is a copy of a program with one change: \`<\` instead of \`<=\`, a condition that is always true, a removed statement, an empty
string, or a regular expression without an anchor. A test kills a mutant if it fails. The score is the share of killed mutants.
Types, comments and texts for users are not mutated. \`tools/mutation/mutation.ts\` generates this page; \`CONTRIBUTING.md\` describes its
use.
`;

/** Returns the share of killed mutants, from 0 to 1. */
export const killedShare = ({ mutantCount, survivors }: Score): number =>
  (mutantCount - survivors.length) / Math.max(1, mutantCount);

/** Formats a score in one line. */
export function formatScore(score: Score): string {
  const killed = score.mutantCount - score.survivors.length;
  return `${score.mutantCount} mutants, ${killed} killed: ${(100 * killedShare(score)).toFixed(1)} %.`;
}

/** Returns the page with new sections for these scores. Sections of other subjects stay unchanged. */
export function updatePage(page: string, scores: readonly Score[], order: readonly string[]): string {
  const sections = new Map(page.split(/^## /m).map((text) => [text.split("\n", 1)[0] ?? "", text.trim()]));
  for (const score of scores) sections.set(score.name, formatSection(score));
  const measured = order.filter((name) => sections.has(name));
  const formatRow = (name: string): string => {
    const [, mutants, killed, percent] = /(\d+) mutants, (\d+) killed: (.*)\./.exec(sections.get(name) ?? "") ?? [];
    return `| ${name} | ${mutants} | ${killed} | ${percent} |`;
  };
  const table = ["| Module | Mutants | Killed | Score |", "| --- | ---: | ---: | ---: |", ...measured.map(formatRow)];
  const unmeasured = order.filter((name) => !sections.has(name));
  const note = unmeasured.length === 0 ? [] : ["", `Not measured yet: ${unmeasured.join(", ")}.`];
  return [introduction, ...table, ...note, "", ...measured.map((name) => `## ${sections.get(name)}\n`)].join("\n");
}

function formatSection(score: Score): string {
  return [
    score.name,
    "",
    formatScore(score),
    "",
    ...(score.survivors.length === 0 ? [] : ["Survivors:", "", "```text", ...score.survivors, "```", ""]),
    ...(score.skipped.length === 0 ? [] : ["Equivalent mutants (not run):", ""]),
    ...score.skipped.map(({ file, why, changes }) => `- \`${file}\`, ${changes.length}: ${why}`),
  ]
    .join("\n")
    .trim();
}
