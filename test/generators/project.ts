import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { App } from "limmat";
import { type CommandResult, runCommand } from "limmat/testing";

/** A project in a temporary folder. Disposal deletes it. */
export interface TestProject extends Disposable {
  readonly root: string;
  /** Runs a command in the project. */
  run(...argv: string[]): Promise<CommandResult>;
  read(path: string): string;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Returns the texts of all files, by path. */
  files(): Readonly<Record<string, string>>;
}

const template = join(import.meta.dirname, "../../template");

/** Creates a project from the template. */
export function testProject(): TestProject {
  const root = mkdtempSync(join(tmpdir(), "limmat-gen-"));
  cpSync(template, root, { recursive: true });
  const app = App.create({ root, services: [] });
  return {
    root,
    run: (...argv) => runCommand(app, ...argv),
    read: (path) => readFileSync(join(root, path), "utf8"),
    write: (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    remove: (path) => rmSync(join(root, path), { recursive: true }),
    files: () => Object.fromEntries(filePaths(root).map((path) => [path, readFileSync(join(root, path), "utf8")])),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

function filePaths(root: string): readonly string[] {
  return (
    readdirSync(root, { recursive: true, encoding: "utf8" })
      .map((path) => relative(root, join(root, path)).replaceAll("\\", "/"))
      // The record of the runs changes with each run.
      .filter((path) => statSync(join(root, path)).isFile() && path !== "tmp/generated-files")
      .sort()
  );
}
