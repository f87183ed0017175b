/** Result of the mutation tests of a subject. */
export interface Score {
  readonly name: string;
  readonly mutantCount: number;
  /** Number of mutants that no test killed. */
  readonly survivorCount: number;
  /** Number of equivalent mutants, which were not run. */
  readonly equivalentCount: number;
}

const introduction = `# Mutation scores

A mutant is a copy of a program with one change: \`<\` instead of \`<=\`, a condition that is always true, a removed statement, an empty
string, or a regular expression without an anchor. A test kills a mutant if it fails. The score is the share of killed mutants.
Types, comments, texts for users, and the equivalent mutants of \`equivalent.txt\` are not mutated. \`npm run mutation\` writes this page
([use](../../CONTRIBUTING.md#mutation-tests)) and prints the mutants that survive.
`;

/** Returns the share of killed mutants, from 0 to 1. */
export const killedShare = ({ mutantCount, survivorCount }: Score): number =>
  (mutantCount - survivorCount) / Math.max(1, mutantCount);

/** Formats a score as a row of the page. */
export function formatRow(score: Score): string {
  const { name, mutantCount, survivorCount, equivalentCount } = score;
  const percent = `${(100 * killedShare(score)).toFixed(1)} %`;
  return `| ${name} | ${mutantCount} | ${survivorCount} | ${equivalentCount} | ${percent} |`;
}

/** Returns the page with new rows for these scores. Rows of other subjects stay unchanged. */
export function updatePage(page: string, scores: readonly Score[], order: readonly string[]): string {
  const rows = new Map([...page.matchAll(/^\| ([^|]+?) \| \d.*$/gm)].map(([row, name = ""]) => [name, row]));
  for (const score of scores) rows.set(score.name, formatRow(score));
  const measured = order.flatMap((name) => rows.get(name) ?? []);
  const unmeasured = order.filter((name) => !rows.has(name));
  const note = unmeasured.length === 0 ? [] : ["", `Not measured yet: ${unmeasured.join(", ")}.`];
  const head = ["| Subject | Mutants | Survivors | Equivalent | Score |", "| --- | ---: | ---: | ---: | ---: |"];
  return [introduction, ...head, ...measured, ...note, ""].join("\n");
}
