/** Result of the mutation tests of a subject. */
export interface Score {
  readonly name: string;
  readonly mutantCount: number;
  /** Number of mutants that no test killed. */
  readonly survivorCount: number;
}

const introduction = `# Mutation scores

A mutant is a copy of a program with one change. A test kills a mutant if it fails. The score is the share of killed mutants.
Types, comments, texts for users, and the equivalent mutants of \`equivalent.txt\` are not mutated. \`npm run mutation\` writes this page
([use](../../CONTRIBUTING.md#mutation-tests)). Score, and survivors of all mutants:
`;

/** Returns the share of killed mutants, from 0 to 1. */
export const killedShare = ({ mutantCount, survivorCount }: Score): number =>
  (mutantCount - survivorCount) / Math.max(1, mutantCount);

/** Formats a score as an item of the list of the page. */
export const formatScore = (score: Score): string =>
  `- ${score.name}: ${(100 * killedShare(score)).toFixed(1)} %, ${score.survivorCount} of ${score.mutantCount}`;

/** Returns the page with new items for these scores. Items of other subjects stay unchanged. */
export function updatePage(page: string, scores: readonly Score[], order: readonly string[]): string {
  const items = new Map([...page.matchAll(/^- (.+?): \d.*$/gm)].map(([item, name = ""]) => [name, item]));
  for (const score of scores) items.set(score.name, formatScore(score));
  const measured = order.flatMap((name) => items.get(name) ?? []);
  const unmeasured = order.filter((name) => !items.has(name));
  const note = unmeasured.length === 0 ? [] : ["", `Not measured yet: ${unmeasured.join(", ")}.`];
  return [introduction, ...measured, ...note, ""].join("\n");
}
