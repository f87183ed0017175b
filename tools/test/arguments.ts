// Command line of the test runner.
import { parseArgs } from "node:util";

/** Parts of a test run, in the order of the help. */
export const partNames = ["check", "short", "examples", "long", "soak", "node24"] as const;

/** Part of a test run. */
export type PartName = (typeof partNames)[number];

/** Options of a test run. */
export interface TestArguments {
  readonly parts: readonly PartName[];
  /** Parts of the paths of test files. Empty: all files. */
  readonly words: readonly string[];
  /** Number of jobs at the same time. `undefined`: one for each core. */
  readonly slots: number | undefined;
  /** Number of a share, from 1, and number of shares. */
  readonly shard: readonly [index: number, count: number];
  readonly namePattern: string | undefined;
  /** True if tests that repeat a case with generated input run all their rounds (test/rounds.ts). */
  readonly hasAllRounds: boolean;
  readonly isVerbose: boolean;
  readonly isList: boolean;
}

/** Text of `--help`. */
export const help = `Usage: npm test -- [options] [path…]
       npm run test:all -- [options] [path…]

npm test checks format, lint and types, and runs the short tests, with a part of the rounds of those that repeat a case
with generated input. npm run test:all runs everything, with all rounds.
A path is a part of the path of test files: a module (queue), a folder (src/http) or a file.
With a path, only tests run. An exact file runs in any case, even a long one (*.long.test.ts) with npm test.

Options:
  --part <name>     run this part only; can be repeated:
                    check     format, lint and types
                    short     test files with the ending .test.ts
                    examples  tests of the applications in examples, and types of those in examples and bench
                    long      test files with the ending .long.test.ts: kills, faults, packages, new projects, browsers
                    soak      parts of npm run soak with a tenth of their counts
                    node24    modules that depend most on Node, with the oldest supported version (downloaded)
  --shard <i>/<n>   run the i-th of n shares of the jobs
  --slots <n>       run n jobs at the same time (default: one for each core, at least 2)
  --name <regexp>   run only tests whose name matches
  --list            print the jobs and their expected durations, and run nothing
  --verbose         print the output of every job
  --help            print this text
`;

/** Parses the arguments. Returns a text for the user if they are invalid. */
export function parseArguments(argv: readonly string[]): TestArguments | "help" | { readonly problem: string } {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        all: { type: "boolean" },
        part: { type: "string", multiple: true },
        shard: { type: "string", default: "1/1" },
        slots: { type: "string" },
        name: { type: "string" },
        list: { type: "boolean", default: false },
        verbose: { type: "boolean", default: false },
        help: { type: "boolean" },
      },
    });
    if (values.help === true) return "help";
    const slots = values.slots === undefined ? undefined : Number(values.slots);
    if (slots !== undefined && !(Number.isInteger(slots) && slots > 0))
      return { problem: `--slots ${values.slots} is not a positive integer.` };
    return {
      parts: parseParts(values.part, values.all === true, positionals),
      words: positionals.map((path) => path.replace(/^\.\//, "")),
      slots,
      shard: parseShard(values.shard),
      namePattern: values.name,
      hasAllRounds: values.all === true,
      isVerbose: values.verbose,
      isList: values.list,
    };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Returns the named parts, else those of the script. A path selects tests, so that nothing else runs. */
function parseParts(
  names: readonly string[] | undefined,
  isAll: boolean,
  words: readonly string[],
): readonly PartName[] {
  if (names === undefined) {
    const parts = isAll ? partNames : (["check", "short"] as const);
    if (words.length === 0) return parts;
    return isAll ? ["short", "examples", "long"] : ["short", "examples"];
  }
  const unknown = names.find((name) => !partNames.includes(name as PartName));
  if (unknown !== undefined) throw new Error(`--part ${unknown} is not one of ${partNames.join(", ")}.`);
  return names as readonly PartName[];
}

function parseShard(text: string): readonly [number, number] {
  const [, index, count] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index < 1 || index > count)
    throw new Error(`--shard ${text} is not a share such as 1/3.`);
  return [index, count];
}
