// Command line of the test runner.
import { parseArgs } from "node:util";

/** Parts of a test run, in the order of the help. */
export const partNames = ["check", "short", "examples", "long", "rounds", "nightly", "soak", "node24"] as const;

/** Part of a test run. */
export type PartName = (typeof partNames)[number];

/** Parts that consist of test files. A path selects from these. */
const fileParts: readonly PartName[] = ["short", "examples", "long", "rounds", "nightly", "node24"];

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
  /** Time limit of a test file in milliseconds. `undefined`: that of its part. */
  readonly limitMs: number | undefined;
  readonly isVerbose: boolean;
  readonly isList: boolean;
}

/** Text of `--help`. */
export const help = `Usage: npm test -- [options] [path…]            check and short tests
       npm run test:long -- [options] [path…]   examples, long tests, and the rounds that npm test leaves out
       npm run test:nightly -- [options]        what depends on the speed of the machine, and Node 24

A path is a part of the path of test files: a module (queue), a folder (src/http) or a file. With a path, only tests run.
An exact file runs in any case, even a long one (*.long.test.ts) with npm test.

A job that fails is run once more when nothing else runs. If it passes then, the run passes, and its summary lists the job as
unstable. More than three failed jobs, or a second failure, fail the run.

Options:
  --part <name>     run this part only; can be repeated:
                    check     format, lint and types
                    short     test files with the ending .test.ts
                    examples  tests of the applications in examples, and types of those in examples and bench
                    long      test files with the ending .long.test.ts: kills, faults, packages, new projects, browsers
                    rounds    short test files that repeat cases with generated input, with all rounds instead of one in eleven
                    nightly   test files with the ending .nightly.test.ts: durations, rates, loads
                    soak      npm run soak: a million requests, slow clients, overload, stops under load
                    node24    modules that depend most on Node, with the oldest supported version (downloaded)
  --shard <i>/<n>   run the i-th of n shares of the jobs
  --slots <n>       run n jobs at the same time (default: one for each core, at least 2)
  --limit <s>       end a test file after s seconds (default: 240; long 600; nightly 3600)
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
        part: { type: "string", multiple: true },
        shard: { type: "string", default: "1/1" },
        slots: { type: "string" },
        limit: { type: "string" },
        name: { type: "string" },
        list: { type: "boolean", default: false },
        verbose: { type: "boolean", default: false },
        help: { type: "boolean" },
      },
    });
    if (values.help === true) return "help";
    const limitSeconds = parseCount("limit", values.limit);
    return {
      parts: parseParts(values.part, positionals),
      words: positionals.map((path) => path.replace(/^\.\//, "")),
      slots: parseCount("slots", values.slots),
      shard: parseShard(values.shard),
      namePattern: values.name,
      limitMs: limitSeconds === undefined ? undefined : limitSeconds * 1000,
      isVerbose: values.verbose,
      isList: values.list,
    };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Returns the named parts, else those of `npm test`. A path selects tests, so that nothing else runs. */
function parseParts(names: readonly string[] | undefined, words: readonly string[]): readonly PartName[] {
  const unknown = names?.find((name) => !partNames.includes(name as PartName));
  if (unknown !== undefined) throw new Error(`--part ${unknown} is not one of ${partNames.join(", ")}.`);
  if (words.length === 0) return (names as readonly PartName[] | undefined) ?? ["check", "short"];
  if (names === undefined) return ["short", "examples"];
  return fileParts.filter((name) => names.includes(name));
}

function parseCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new Error(`--${option} ${text} is not a positive integer.`);
  return count;
}

function parseShard(text: string): readonly [number, number] {
  const [, index, count] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  if (index === undefined || count === undefined || index < 1 || index > count)
    throw new Error(`--shard ${text} is not a share such as 1/3.`);
  return [index, count];
}
