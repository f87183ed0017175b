import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "../core/index.ts";
import { Random } from "../random/index.ts";
import {
  blobId,
  databaseChoices,
  databaseLines,
  type DatabaseName,
  databases,
  type GeneratedFile,
  mergeText,
  packageVersion,
  parseDatabase,
  parseRecord,
  projectRoot,
  readProjectFile,
  recordPath,
  renderProject,
} from "../project/index.ts";
import { errors } from "./errors.ts";
import { generate, parseArguments } from "./generate.ts";
import { editDependencies } from "./wire.ts";

const serviceList = "service/service.ts";
const environmentFile = ".env";

/** Files in which the differences between new projects on both databases are merged. */
const mergedFiles = [".env.example", ".env.test", "compose.yaml", ".github/workflows/ci.yml"];

/**
 * Runs the command `database`: changes a project to another database. Returns `undefined` for wrong arguments.
 *
 * @throws E_GENERATE_DATABASE, E_GENERATE_MISSING outside of a project, E_DATABASE_SWITCH
 */
export function switchDatabase(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args);
  const [target, ...extra] = positionals;
  if (target === undefined || extra.length > 0 || flags.isForced) return undefined;
  const change = readChange(projectRoot(), parseDatabase(target));
  const { root, from, to } = change;
  if (from === to) {
    output.print(`${serviceList} already uses ${databaseChoices[to].label}.`);
    return Command.done;
  }
  const merged = mergeConfigurationFiles(change);
  const otherUsers = listOtherUsers(change);
  const files: readonly GeneratedFile[] = [
    { path: serviceList, text: editServiceList(change), whenPresent: "replace" },
    { path: "package.json", text: editManifest(change, otherUsers.length > 0), whenPresent: "replace" },
    ...merged.files,
  ];
  const password = Random.token();
  const environment = join(root, environmentFile);
  const hasEnvironment = existsSync(environment);
  const environmentRemark = `${environmentFile} ${flags.isDryRun ? "is" : "was"} edited as well. Lines of another database stay as comments.`;
  const done = generate(
    root,
    {
      files: [...files, ...editRecord(change, files)],
      edits: [],
      remarks: [...(hasEnvironment ? [environmentRemark] : []), ...remarksOn(change, merged.conflicts, otherUsers)],
      nextSteps: ["npm install", ...databaseChoices[to].setupCommands, "npm run app migrate", "npm test"],
    },
    flags,
    output,
  );
  // Edited in place, because a renamed file would lose the mode 0600, and not recorded, because it contains secrets.
  if (!flags.isDryRun && hasEnvironment) {
    writeFileSync(environment, editEnvironment(readFileSync(environment, "utf8"), change, password));
  }
  return done;
}

/** Change of a project from one database to another. */
interface DatabaseChange {
  readonly root: string;
  readonly name: string;
  readonly from: DatabaseName;
  readonly to: DatabaseName;
}

function readChange(root: string, to: DatabaseName): DatabaseChange {
  const used = /^export const database = (\w+)\(/m.exec(readProjectFile(root, serviceList) ?? "")?.[1];
  const from = databases.find((name) => name === used);
  if (from === undefined) {
    const allowed = databases.map((name) => `${name}(…)`).join(", ");
    throw errors.E_DATABASE_SWITCH(
      `${serviceList} has no line "export const database = …" with one of ${allowed}. Change the database there.`,
    );
  }
  const { name } = JSON.parse(readProjectFile(root, "package.json") || "{}") as { readonly name?: string };
  if (name === undefined) throw errors.E_DATABASE_SWITCH('package.json has no "name".');
  return { root, name, from, to };
}

/** Replaces the import and the call of the database in the list of services. */
function editServiceList({ root, from, to }: DatabaseChange): string {
  return (readProjectFile(root, serviceList) ?? "")
    .replaceAll(
      new RegExp(`\\{ ${from} \\} from "limmat/database/${from}"`, "g"),
      `{ ${to} } from "limmat/database/${to}"`,
    )
    .replaceAll(new RegExp(`\\b${from}\\(`, "g"), `${to}(`);
}

/** Returns `package.json` with the driver of the new database, and without the driver of the old one unless it is in use. */
function editManifest({ root, from, to }: DatabaseChange, isOldUsed: boolean): string {
  const [oldDriver, newDriver] = [databaseChoices[from].driver, databaseChoices[to].driver];
  return editDependencies(readProjectFile(root, "package.json") ?? "", (dependencies) => {
    if (oldDriver !== undefined && !isOldUsed) delete dependencies[oldDriver];
    if (newDriver !== undefined) dependencies[newDriver] ??= packageVersion(newDriver);
  });
}

/** Comments the lines of the old database out, and adds those of the new one in their place. */
function editEnvironment(text: string, { name, to }: DatabaseChange, password: string): string {
  const lines = text.trimEnd().split("\n");
  const isDatabaseLine = (line: string): boolean => /^(?:DATABASE_URL|DATABASE_PASSWORD)=/.test(line);
  const isReplaced = (line: string): boolean => isDatabaseLine(line) || line === passwordComment;
  const index = lines.findIndex(isReplaced);
  const kept = lines.flatMap((line) => (isDatabaseLine(line) ? [`# ${line}`] : line === passwordComment ? [] : [line]));
  const added = databaseLines(name, to, password);
  const position = index === -1 ? kept.length : index;
  return `${[...kept.slice(0, position), ...(added === "" ? [] : [added]), ...kept.slice(position)].join("\n")}\n`;
}

const passwordComment = "# The password in the URL, for compose.yaml.";

/** Files with merged changes, and paths of the files in which the user changed the same lines. */
interface MergedFiles {
  readonly files: readonly GeneratedFile[];
  readonly conflicts: readonly string[];
}

/** Merges the differences between two new projects into this project. A file that the project lacks is not written. */
function mergeConfigurationFiles({ root, name, from, to }: DatabaseChange): MergedFiles {
  const render = (database: DatabaseName): ReadonlyMap<string, string> =>
    renderProject({ name, database, isBare: false, secret: "", databasePassword: "" });
  const [base, target] = [render(from), render(to)];
  const files: GeneratedFile[] = [];
  const conflicts: string[] = [];
  for (const path of mergedFiles) {
    const current = readProjectFile(root, path);
    if (current === undefined) continue;
    const targetText = target.get(path) ?? "";
    const text = mergeText({ base: base.get(path) ?? "", current, target: targetText });
    if (text === undefined) {
      conflicts.push(path);
      files.push({ path: `${path}.new`, text: targetText });
    } else if (text !== current) files.push({ path, text, whenPresent: "replace" });
  }
  return { files, conflicts };
}

/** Records the files that are now those of a new project on the new database, so that `upgrade` compares with them. */
function editRecord({ root, name, to }: DatabaseChange, files: readonly GeneratedFile[]): readonly GeneratedFile[] {
  const record = parseRecord(readProjectFile(root, recordPath) ?? "");
  if (record === undefined) return [];
  const target = renderProject({ name, database: to, isBare: record.isBare, secret: "", databasePassword: "" });
  const ids = { ...record.files };
  for (const file of files) if (target.get(file.path) === file.text) ids[file.path] = blobId(file.text);
  const text = `${JSON.stringify({ ...record, files: ids }, undefined, 2)}\n`;
  return [{ path: recordPath, text, whenPresent: "replace" }];
}

/** Returns the paths of the files, other than the list of services, that import the old database. */
function listOtherUsers({ root, from }: DatabaseChange): readonly string[] {
  const isImported = new RegExp(`"limmat/database/${from}"`);
  return globSync("**/*.ts", { cwd: root, exclude: (path) => path === "node_modules" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path !== serviceList && isImported.test(readFileSync(join(root, path), "utf8")))
    .sort();
}

/** Returns the parts of the change that are left to the user. */
function remarksOn(
  { from, to }: DatabaseChange,
  conflicts: readonly string[],
  otherUsers: readonly string[],
): readonly string[] {
  const [oldLabel, newLabel] = [databaseChoices[from].label, databaseChoices[to].label];
  return [
    ...conflicts.map((path) => `${path} was changed. Copy what you need from ${path}.new, and delete that file.`),
    ...(otherUsers.length === 0 ? [] : [`These files import ${oldLabel}, too: ${otherUsers.join(", ")}.`]),
    `The data stays in ${oldLabel}. Migrations run on ${newLabel} unless they contain SQL of your own for ${oldLabel}.`,
  ];
}
