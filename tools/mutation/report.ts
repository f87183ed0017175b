import type { Equivalent } from "./equivalent.ts";

/** How many changes of a subject were tried, and which of them no test noticed. */
export interface Score {
  readonly name: string;
  readonly tried: number;
  readonly survivors: readonly string[];
  /** Not tried: known to make no difference. */
  readonly leftOut: readonly Equivalent[];
}

const introduction = `# How well the tests test

Programs that differ from ours in one place, such as \`<\` for \`<=\`, a condition that always holds, a statement left out, an
empty text, or a regular expression without its end: how many there are, and how many of them the tests noticed. Types,
comments and sentences for people are left alone. Written by \`tools/mutation/mutation.ts\`; see \`CONTRIBUTING.md\`.
`;

/** A score in one line. */
export function scoreLine({ tried, survivors }: Score): string {
  const noticed = tried - survivors.length;
  return `${tried} changes, ${noticed} noticed: ${((100 * noticed) / Math.max(1, tried)).toFixed(1)} %.`;
}

/** The page with the sections of these scores in the place of those that it had, and all others as they were. */
export function report(page: string, scores: readonly Score[], order: readonly string[]): string {
  const sections = new Map(page.split(/^## /m).map((text) => [text.split("\n", 1)[0] ?? "", text.trim()]));
  for (const score of scores) sections.set(score.name, section(score));
  const known = order.filter((name) => sections.has(name));
  const row = (name: string): string => {
    const [, tried, noticed, percent] = /(\d+) changes, (\d+) noticed: (.*)\./.exec(sections.get(name) ?? "") ?? [];
    return `| ${name} | ${tried} | ${noticed} | ${percent} |`;
  };
  const table = ["| Module | Changes | Noticed | Score |", "| --- | ---: | ---: | ---: |", ...known.map(row)];
  const untried = order.filter((name) => !sections.has(name));
  const missing = untried.length === 0 ? [] : ["", `Not measured yet: ${untried.join(", ")}.`];
  return [introduction, ...table, ...missing, "", ...known.map((name) => `## ${sections.get(name)}\n`)].join("\n");
}

function section(score: Score): string {
  return [
    score.name,
    "",
    scoreLine(score),
    "",
    ...(score.survivors.length === 0 ? [] : ["Not noticed:", "", "```text", ...score.survivors, "```", ""]),
    ...(score.leftOut.length === 0 ? [] : ["Left out, because nobody could notice:", ""]),
    ...score.leftOut.map(({ file, why, changes }) => `- \`${file}\`, ${changes.length}: ${why}`),
  ]
    .join("\n")
    .trim();
}
