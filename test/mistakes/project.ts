// The project of usual mistakes: new, with a resource, a job and accounts on SQLite. This file contains no tests.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { App } from "limmat";
import { runCommand } from "limmat/testing";
import { createProject } from "../../src/generators/new/create-project.ts";
import { shellEnvironment } from "../new-project/package.ts";
import { root as repository } from "../sources.ts";

/** Change of one file of the project. */
export interface Edit {
  readonly file: string;
  /** Text that the file contains. Absent for a new file. */
  readonly from?: string;
  readonly to: string;
}

/** Project in a temporary folder, which the disposal deletes. */
export interface MistakenProject extends Disposable {
  readonly root: string;
  readonly edit: (edit: Edit) => void;
  /** Returns a copy of the project as it is now. */
  readonly copy: () => MistakenProject;
}

/** Options of Node that run the framework from its source. */
export const sourceOptions: readonly string[] = ["--conditions=@limmat/source"];

/** Environment variables of a program of the project. */
export const projectEnvironment = (variables: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv =>
  shellEnvironment({ FRAMEWORK_ENV: "development", LOG_LEVEL: "error", NO_COLOR: "1", ...variables });

/** Creates the project and its database. */
export async function makeProject(): Promise<MistakenProject> {
  const folder = makeFolder();
  const root = join(folder, "app");
  createProject({ path: root, database: "sqlite" });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(repository, join(root, "node_modules/limmat"));
  for (const name of ["@types", "typescript"]) {
    symlinkSync(join(repository, "node_modules", name), join(root, "node_modules", name));
  }
  const app = App.create({ root, services: [] });
  for (const command of [
    "gen.html sqlite note title:string:unique body:text --wire",
    "gen.job send_digest --wire",
    "gen.auth --wire",
  ]) {
    const { code, stderr } = await runCommand(app, ...command.split(" "));
    if (code !== 0) throw new Error(stderr);
  }
  execFileSync(process.execPath, [...sourceOptions, "run/run.ts", "migrate"], {
    cwd: root,
    env: projectEnvironment(),
    stdio: "pipe",
  });
  return openProject(folder);
}

const makeFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "limmat-mistakes-")));

function openProject(folder: string): MistakenProject {
  const root = join(folder, "app");
  return {
    root,
    edit: ({ file, from, to }) => {
      const path = join(root, file);
      mkdirSync(dirname(path), { recursive: true });
      if (from === undefined) return writeFileSync(path, to);
      const text = readFileSync(path, "utf8");
      if (text.split(from).length !== 2) throw new Error(`${file} does not contain this text once: ${from}`);
      writeFileSync(
        path,
        text.replace(from, () => to),
      );
    },
    copy: () => {
      const target = makeFolder();
      cpSync(root, join(target, "app"), { recursive: true, verbatimSymlinks: true });
      return openProject(target);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
