import { works } from "./works.ts";

/** Benchmarks and contestants that one word on the command line selects. Each suite has its own page. */
export interface Suite {
  /** Title of its page. */
  readonly title: string;
  readonly works: readonly string[];
  readonly contestants: readonly string[];
  readonly hosts: readonly string[];
}

// Hand-written code, limmat, and the fastest peer.
const contestants = ["node:http", "limmat", "fastify"];
const hosts = ["node"];

const worksOf = (...groups: readonly string[]): readonly string[] =>
  works.filter(({ group }) => groups.includes(group)).map(({ name }) => name);

export const suites: Readonly<Record<string, Suite>> = {
  "full-stack": {
    title: "Full-stack benchmark",
    works: ["json", "site", "site-1200", "site-10k", "row", "form-1200", "index-10k"],
    contestants,
    hosts,
  },
  conditions: {
    title: "Benchmarks under other conditions",
    works: worksOf("wire", "data", "bodies", "load"),
    contestants,
    hosts,
  },
};

/** Returns the suite that words name if they name nothing else. */
export const suiteOf = (words: readonly string[]): string | undefined =>
  words.length === 1 && words[0] !== undefined && Object.hasOwn(suites, words[0]) ? words[0] : undefined;
