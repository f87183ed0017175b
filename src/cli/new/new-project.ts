import { spawnSync } from "node:child_process";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { isError } from "../../core/index.ts";
import { type DatabaseName, databases, parseDatabase } from "../gen/database.ts";
import { wrongArguments } from "../wrong-arguments.ts";
import { type Asking, startAsking, type Terminal } from "./ask.ts";
import { checkFolder, createProject, type Project } from "./create-project.ts";
import { databaseChoices } from "./database.ts";

/** What was asked for on the command line, and how it is called there. */
export interface NewProjectOptions {
  /** How it is called, for the help: `npm create limmat`. */
  readonly program: string;
  readonly argv: readonly string[];
  /** A packed framework for the project to depend on. */
  readonly tarball?: string;
  /** Where questions are asked; `undefined` where nobody could answer. By default, this process's own if it is a terminal. */
  readonly terminal?: Terminal | undefined;
}

const flags = {
  database: { type: "string" },
  yes: { type: "boolean", short: "y" },
  // Spelled out: Node 18 does not know how to negate a flag.
  "no-install": { type: "boolean" },
  "no-git": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const defaultFolder = "my-app";

/**
 * Asks what is not said, makes the project, and gives the exit code: 0 made, 1 failed, 2 wrong arguments, 130 given up by
 * Ctrl-C.
 */
export async function newProject(options: NewProjectOptions): Promise<number> {
  const { program, argv, tarball, terminal = ownTerminal() } = options;
  const help = `Usage: ${program} <folder> [--database=${databases.join("|")}] [--yes] [--no-install] [--no-git]

Makes a new project. At a terminal it asks for what is not said; --yes takes the defaults.`;
  // With a listener, Ctrl-C ends what is being run and not this process, which cleans up after itself.
  const ignore = (): void => {};
  process.on("SIGINT", ignore);
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: flags,
      allowPositionals: true,
    });
    if (values.help === true) return say(help, 0);
    if (positionals.length > 1) return say(help, 2);
    const [folder] = positionals;
    const given = {
      path: folder === undefined ? undefined : checkFolder(folder).root,
      database: values.database === undefined ? undefined : parseDatabase(values.database),
    };
    const asking = values.yes === true || terminal === undefined ? undefined : startAsking(terminal);
    const answers = await complete(given, asking).finally(() => asking?.close());
    if (answers === undefined) return say("\nNothing was made.", asking?.wasInterrupted() === true ? 130 : 1);
    const { path, database = databases[0] } = answers;
    if (path === undefined) return say(help, 2);
    const project = createProject({ path, database, ...(tarball === undefined ? {} : { tarball }) });
    if (values["no-git"] !== true) run(project, "git", ["init", "--quiet", "--initial-branch=main"]);
    const isInstalled = values["no-install"] !== true && run(project, "npm", ["install"]);
    return say(nextSteps(project, isInstalled, database), 0);
  } catch (error) {
    if (isError(error)) return say(`${error.message} (${error.code})`, 1);
    const wrong = wrongArguments(error);
    if (wrong !== undefined) return say(`${wrong}\n\n${help}`, 2);
    throw error;
  } finally {
    process.off("SIGINT", ignore);
  }
}

const ownTerminal = (): Terminal | undefined =>
  process.stdin.isTTY && process.stdout.isTTY ? { input: process.stdin, output: process.stdout } : undefined;

interface Answers {
  readonly path: string | undefined;
  readonly database: DatabaseName | undefined;
}

/** Asks for what is not said; `undefined` when the person gives up. */
async function complete(given: Answers, asking: Asking | undefined): Promise<Answers | undefined> {
  if (asking === undefined) return given;
  const path =
    given.path ??
    (await asking.ask({
      text: `Folder of the new project [${defaultFolder}]: `,
      read: (answer) => checkFolder(answer || defaultFolder).root,
    }));
  if (path === undefined) return undefined;
  const choices = databases.map((name, index) => `  ${index + 1}  ${databaseChoices[name].title}`);
  const database =
    given.database ??
    (await asking.ask({
      text: "Database, by number or name [1]: ",
      choices,
      read: (answer) => databases[Number(answer || "1") - 1] ?? parseDatabase(answer),
    }));
  return database === undefined ? undefined : { path, database };
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
