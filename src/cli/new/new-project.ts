import { spawnSync } from "node:child_process";
import { relative } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { isError } from "../../core/index.ts";
import { type DatabaseName, databases, parseDatabase } from "../gen/database.ts";
import { createProject, type Project } from "./create-project.ts";
import { databaseChoices } from "./database.ts";

/** What was asked for on the command line, and how it is called there. */
export interface NewProjectOptions {
  /** How it is called, for the help: `npm create limmat`. */
  readonly program: string;
  readonly argv: readonly string[];
  /** A packed framework for the project to depend on. */
  readonly tarball?: string;
}

const flags = {
  database: { type: "string" },
  yes: { type: "boolean", short: "y" },
  // Spelled out: Node 18 does not know how to negate a flag.
  "no-install": { type: "boolean" },
  "no-git": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/** Asks what is not said, makes the project, and gives the exit code: 0 made, 1 failed, 2 wrong arguments. */
export async function newProject({ program, argv, tarball }: NewProjectOptions): Promise<number> {
  const help = `Usage: ${program} <folder> [--database=${databases.join("|")}] [--yes] [--no-install] [--no-git]

Makes a new project. At a terminal it asks for what is not said; --yes takes the defaults.`;
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: flags,
      allowPositionals: true,
    });
    if (values.help === true) return say(help, 0);
    if (positionals.length > 1) return say(help, 2);
    const answers = await ask({ path: positionals[0], database: values.database, isQuiet: values.yes === true });
    if (answers.path === undefined) return say(help, 2);
    const database = parseDatabase(answers.database ?? databases[0]);
    const project = createProject({
      path: answers.path,
      database,
      ...(tarball === undefined ? {} : { tarball }),
    });
    if (values["no-git"] !== true) run(project, "git", ["init", "--quiet", "--initial-branch=main"]);
    const isInstalled = values["no-install"] !== true && run(project, "npm", ["install"]);
    return say(nextSteps(project, isInstalled, database), 0);
  } catch (error) {
    if (isError(error)) return say(`${error.message} (${error.code})`, 1);
    const isArgument =
      error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith("ERR_PARSE_ARGS");
    if (isArgument) return say(`${error.message}\n\n${help}`, 2);
    throw error;
  }
}

interface Answers {
  readonly path: string | undefined;
  readonly database: string | undefined;
}

async function ask({ path, database, isQuiet }: Answers & { readonly isQuiet: boolean }): Promise<Answers> {
  if (isQuiet || !process.stdin.isTTY || !process.stdout.isTTY) return { path, database };
  if (path !== undefined && database !== undefined) return { path, database };
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const given = path ?? ((await terminal.question("Folder of the new project: ")).trim() || undefined);
    if (given === undefined || database !== undefined) return { path: given, database };
    databases.forEach((name, index) => console.log(`  ${index + 1}  ${databaseChoices[name].title}`));
    const answer = (await terminal.question("Database [1]: ")).trim() || "1";
    return { path: given, database: databases[Number(answer) - 1] ?? answer };
  } finally {
    terminal.close();
  }
}

/** Runs a program in the project; false, and a word about it, when that fails: the project is there all the same. */
function run({ root }: Project, program: string, args: readonly string[]): boolean {
  // Settings that npm hands down belong to where it was called.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key)));
  const shell = process.platform === "win32";
  const { status } = spawnSync(program, [...args], { cwd: root, env, shell, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) console.error(`"${[program, ...args].join(" ")}" failed. Run it in ${root} later.`);
  return status === 0;
}

function nextSteps({ root, database }: Project, isInstalled: boolean, chosen: DatabaseName): string {
  const steps = [
    `cd ${relative(process.cwd(), root) || "."}`,
    ...(isInstalled ? [] : ["npm install"]),
    ...databaseChoices[chosen].prepare(database),
    "npm run dev",
  ];
  return `\n${root} is ready.\n\n${steps.map((step) => `  ${step}\n`).join("")}`;
}

function say(text: string, code: number): number {
  if (code === 0) console.log(text);
  else console.error(text);
  return code;
}
