import { spawnSync, type SpawnSyncOptions } from "node:child_process";
import { relative } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { isError } from "../../core/index.ts";
import { argumentErrorMessage } from "../../program/index.ts";
import { databaseChoices, type DatabaseName, databases, parseDatabase } from "../../project/index.ts";
import { parseLanguages } from "../language.ts";
import { createProject, type Project, resolveProjectFolder } from "./create-project.ts";

/** Options of `newProject`. */
export interface NewProjectOptions {
  /** Command line of the program, shown in the help: `npm create limmat`. */
  readonly program: string;
  readonly argv: readonly string[];
  /**
   * Packs the framework that the project depends on, and returns the path of the tarball. Called once the arguments and
   * answers are valid. Default: the version from the registry.
   */
  readonly pack?: () => string;
  /** Terminal for questions; `undefined` to ask none. Default: the terminal of this process, if it has one. */
  readonly terminal?: Terminal | undefined;
}

const flags = {
  database: { type: "string" },
  bare: { type: "boolean" },
  languages: { type: "string" },
  yes: { type: "boolean", short: "y" },
  // Separate flags, because `parseArgs` of Node 18 does not support `allowNegative`.
  "no-install": { type: "boolean" },
  "no-git": { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const defaultFolder = "my-app";

/**
 * Asks for missing arguments, creates the project, and returns the exit code.
 *
 * Exit codes: 0 on success, 1 for a failure, 2 for wrong arguments, 130 after Ctrl-C.
 */
export async function newProject(options: NewProjectOptions): Promise<number> {
  const { program, argv, pack, terminal = processTerminal() } = options;
  const help = `Usage: ${program} <folder> [--database=${databases.join("|")}] [--bare] [--languages=de,fr] [--yes] [--no-install] [--no-git]

Creates a new project. In a terminal it asks for missing arguments; --yes uses the defaults.
--bare leaves out the example: the greetings with their API, command and schedule.
--languages adds catalogues of texts: the project speaks English and these languages.`;
  // With a listener, Ctrl-C ends the child process only, so that this process can remove its staging folder.
  const ignore = (): void => {};
  process.on("SIGINT", ignore);
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: flags,
      allowPositionals: true,
    });
    if (values.help === true || positionals[0] === "help") return printResult(help, 0);
    if (positionals.length > 1) return printResult(help, 2);
    const [folder] = positionals;
    const languages = values.languages === undefined ? undefined : parseLanguages(values.languages.split(","));
    const fromArguments = {
      path: folder === undefined ? undefined : resolveProjectFolder(folder).root,
      database: values.database === undefined ? undefined : parseDatabase(values.database),
    };
    const prompt = values.yes === true || terminal === undefined ? undefined : openPrompt(terminal);
    const answers = await askMissing(fromArguments, prompt).finally(() => prompt?.close());
    if (answers === undefined)
      return printResult("\nNo project was created.", prompt?.wasInterrupted() === true ? 130 : 1);
    const { path, database = databases[0] } = answers;
    if (path === undefined) return printResult(help, 2);
    const project = createProject({
      path,
      database,
      isBare: values.bare === true,
      languages,
      ...(pack === undefined ? {} : { tarball: pack() }),
    });
    for (const remark of project.remarks) console.log(remark);
    const isRepository = values["no-git"] !== true && createRepository(project);
    const installation = values["no-install"] === true ? "skipped" : runInProject(project, "npm", ["install"]);
    if (isRepository) commitFiles(project);
    return printResult(nextSteps(project, installation === "done", database), installation === "interrupted" ? 130 : 0);
  } catch (error) {
    if (isError(error)) return printResult(`${error.message} (${error.code})`, 1);
    const argumentError = argumentErrorMessage(error);
    if (argumentError !== undefined) return printResult(`${argumentError}\n\n${help}`, 2);
    throw error;
  } finally {
    process.off("SIGINT", ignore);
  }
}

const processTerminal = (): Terminal | undefined =>
  process.stdin.isTTY && process.stdout.isTTY ? { input: process.stdin, output: process.stdout } : undefined;

interface Answers {
  readonly path: string | undefined;
  readonly database: DatabaseName | undefined;
}

/** Asks for missing answers. Returns `undefined` after Ctrl-C or the end of the input. */
async function askMissing(answers: Answers, prompt: Prompt | undefined): Promise<Answers | undefined> {
  if (prompt === undefined) return answers;
  const askForFolder = (): Promise<string | undefined> =>
    prompt.ask(
      `Folder of the new project [${defaultFolder}]: `,
      (answer) => resolveProjectFolder(answer || defaultFolder).root,
    );
  const path = answers.path ?? (await askForFolder());
  if (path === undefined) return undefined;
  const choices = databases.map((name, index) => {
    const { label, driver } = databaseChoices[name];
    return `  ${index + 1}  ${label}${driver === undefined ? ": a file, nothing to install" : ""}`;
  });
  const parse = (answer: string): DatabaseName => databases[Number(answer || "1") - 1] ?? parseDatabase(answer);
  const database = answers.database ?? (await prompt.ask("Database, by number or name [1]: ", parse, choices));
  return database === undefined ? undefined : { path, database };
}

/**
 * Creates a git repository, unless the project is in one: git does not add the files of a repository in a repository.
 * Returns true if it did.
 */
function createRepository(project: Project): boolean {
  const args = ["rev-parse", "--is-inside-work-tree"];
  const { stdout } = spawnSync("git", args, { cwd: project.root, encoding: "utf8" });
  if (stdout?.trim() === "true") {
    console.log("The project is in a git repository already: no other was created.");
    return false;
  }
  return runInProject(project, "git", ["init", "--quiet", "--initial-branch=main"]) === "done";
}

/** Commits all files. `upgrade` later merges the changes of the project with those of the template since this commit. */
function commitFiles({ root }: Project): void {
  for (const args of [
    ["add", "--all"],
    ["commit", "--quiet", "--message", "Create the project"],
  ]) {
    const { status, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
    if (status === 0) continue;
    // Git explains a missing name and e-mail address in many lines. The last one is the cause.
    console.error(
      `"git ${args[0]}" failed: ${stderr.trim().split("\n").at(-1)}\n` +
        "Commit the files before you change them: a later upgrade merges your changes with that commit.",
    );
    return;
  }
}

/**
 * Settings of npm for the network. npm passes all of its settings in `npm_*` variables. The others belong to the calling
 * project.
 */
const networkSetting =
  /^npm_config_(?:registry|@.*:registry|proxy|https?_proxy|noproxy|ca|cafile|strict_ssl|cache|userconfig|globalconfig)$/i;

/** Runs a program in the project. Prints a message if it fails or Ctrl-C ends it; the project stays in place. */
function runInProject({ root }: Project, program: string, args: readonly string[]): "done" | "failed" | "interrupted" {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key) || networkSetting.test(key)),
  );
  const shell = process.platform === "win32";
  const options: SpawnSyncOptions = { cwd: root, env, shell, stdio: ["ignore", "inherit", "inherit"] };
  const { status, signal, error } = spawnSync(program, [...args], options);
  if (status === 0) return "done";
  // npm ends with 130 if a script that it runs was interrupted.
  const isInterrupted = signal === "SIGINT" || status === 130;
  const isMissing = error !== undefined && "code" in error && error.code === "ENOENT";
  const problem = isInterrupted ? "was interrupted" : `failed${isMissing ? `: ${program} was not found` : ""}`;
  console.error(`"${[program, ...args].join(" ")}" ${problem}. Run it in ${root} later.`);
  return isInterrupted ? "interrupted" : "failed";
}

/** Returns a path as an argument for a shell. */
function quotePath(path: string): string {
  if (/^[\p{L}\p{N}_@%+=:,./\\-]+$/u.test(path)) return path;
  return process.platform === "win32" ? `"${path}"` : `'${path.replaceAll("'", "'\\''")}'`;
}

function nextSteps({ root }: Project, isInstalled: boolean, choice: DatabaseName): string {
  const steps = [
    `cd ${quotePath(relative(process.cwd(), root) || ".")}`,
    ...(isInstalled ? [] : ["npm install"]),
    ...databaseChoices[choice].setupCommands,
    "npm run dev",
  ];
  return `\n${root} is ready.\n\n${steps.map((step) => `  ${step}\n`).join("")}`;
}

function printResult(text: string, code: number): number {
  if (code === 0) console.log(text);
  else console.error(text);
  return code;
}

/** Streams of an interactive terminal. */
interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Interactive prompt that asks one question at a time. */
interface Prompt {
  /**
   * Asks a question, below the lines of its choices. If `parse` throws an error of the framework, its message is printed and
   * the question repeated. Resolves to `undefined` after Ctrl-C or the end of the input.
   */
  readonly ask: <T>(text: string, parse: (answer: string) => T, choices?: readonly string[]) => Promise<T | undefined>;
  readonly wasInterrupted: () => boolean;
  /** Restores the terminal. */
  readonly close: () => void;
}

/** Opens a prompt. Lines typed before a question answer it. */
function openPrompt({ input, output }: Terminal): Prompt {
  const reader = createInterface({ input, output });
  let wasInterrupted = false;
  reader.on("SIGINT", () => {
    wasInterrupted = true;
    reader.close();
  });
  let isEnded = false;
  reader.once("close", () => (isEnded = true));
  const lines = reader[Symbol.asyncIterator]();
  return {
    ask: async (text, parse, choices = []) => {
      for (;;) {
        for (const choice of choices) output.write(`${choice}\n`);
        if (isEnded) output.write(text);
        else {
          reader.setPrompt(text);
          reader.prompt();
        }
        const line = await lines.next();
        if (line.done === true) return undefined;
        try {
          return parse(line.value.trim());
        } catch (error) {
          if (!isError(error)) throw error;
          output.write(`${error.message}\n`);
        }
      }
    },
    wasInterrupted: () => wasInterrupted,
    close: () => reader.close(),
  };
}
