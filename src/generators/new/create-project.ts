import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Random } from "../../random/index.ts";
import { errors } from "../errors.ts";
import {
  type DatabaseName,
  formatRecord,
  frameworkVersion,
  packText,
  recordPath,
  renderProject,
  toDatabaseName,
} from "../../project/index.ts";
import { planLanguages } from "../language.ts";
import { wire } from "../wire.ts";

/** Options of `createProject`. */
export interface ProjectOptions {
  /** Folder of the project, which must be missing or empty. The project takes its name. */
  readonly path: string;
  readonly database: DatabaseName;
  /** True for a project without the example of the template. Default: false. */
  readonly isBare?: boolean;
  /** Languages beside English. Default: a project without catalogues. */
  readonly languages?: readonly string[] | undefined;
  /** Path of a packed framework, which is copied into the project. Default: the version from the registry. */
  readonly tarball?: string;
}

/** New project. */
export interface Project {
  readonly root: string;
  readonly name: string;
  /** Name of the development database. The test database has the suffix `_test`. */
  readonly database: string;
  /** Hints for the user, one line each. */
  readonly remarks: readonly string[];
}

/**
 * Creates a project: the template with its name, its database and a new secret. Creates all files or none.
 *
 * Runs on Node 18 and later, because the project itself installs the Node version it needs.
 *
 * @throws E_NEW_NAME, E_NEW_FOLDER, E_NEW_WRITE
 */
export function createProject(options: ProjectOptions): Project {
  const { root, name } = resolveProjectFolder(options.path);
  const parent = dirname(root);
  const missing = missingFolders(parent);
  try {
    mkdirSync(parent, { recursive: true });
    return { root, name, database: toDatabaseName(name), remarks: writeProject(root, name, options) };
  } catch (error) {
    for (const folder of missing) removeEmptyFolder(folder);
    if (isSystemError(error)) throw errors.E_NEW_WRITE(root, error.message).causedBy(error);
    throw error;
  }
}

/** Writes a project to a sibling folder and renames that at the end, so that a failure leaves no files behind. */
function writeProject(root: string, name: string, options: ProjectOptions): readonly string[] {
  const { database, isBare = false, languages, tarball } = options;
  const stagingFolder = mkdtempSync(join(dirname(root), `.${name}-`));
  try {
    const secrets = { secret: Random.token(), databasePassword: Random.token() };
    const files = renderProject({ name, database, isBare, tarball, ...secrets });
    const write = (file: string, text: string): void => {
      const path = join(stagingFolder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    };
    for (const [file, text] of files) write(file, text);
    const plan = languages === undefined ? undefined : planLanguages(stagingFolder, languages);
    if (plan !== undefined) {
      const edited = wire(stagingFolder, plan.edits).files;
      for (const { path, text } of [...plan.files, ...edited]) write(path, text);
      const originals = edited.map(({ path }) => [path, packText(files.get(path) ?? "")] as const);
      write(recordPath, formatRecord(frameworkVersion(), isBare, files, Object.fromEntries(originals)));
    }
    if (tarball !== undefined) {
      mkdirSync(join(stagingFolder, "vendor"));
      cpSync(tarball, join(stagingFolder, "vendor", basename(tarball)));
    }
    chmodSync(stagingFolder, 0o755);
    chmodSync(join(stagingFolder, ".env"), 0o600);
    moveIntoPlace(stagingFolder, root);
    return (plan?.remarks ?? []).filter((remark) => remark !== undefined);
  } finally {
    rmSync(stagingFolder, { recursive: true, force: true });
  }
}

const isSystemError = (error: unknown): error is Error =>
  error instanceof Error && "syscall" in error && typeof error.syscall === "string";

/** Returns the folders of a path that do not exist, the innermost first. */
const missingFolders = (folder: string): readonly string[] =>
  existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))];

function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It was not created, or has an entry of another program.
  }
}

/**
 * Returns the absolute path and the name of a new project.
 *
 * @throws E_NEW_NAME, E_NEW_FOLDER
 */
export function resolveProjectFolder(path: string): Pick<Project, "root" | "name"> {
  const root = resolve(path);
  const name = toPackageName(basename(root));
  const isEmptyFolder = (): boolean =>
    statSync(root).isDirectory() && readdirSync(root).every((entry) => entry === ".git");
  if (existsSync(root) && !isEmptyFolder()) throw errors.E_NEW_FOLDER(root);
  return { root, name };
}

/** Returns the package name for a folder (npm's rules: lower case, URL-safe characters). */
function toPackageName(folder: string): string {
  // Letters lose their accents: "Zürich" becomes "zurich".
  const name = folder
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "");
  const isTaken = name === "node_modules" || name === "limmat";
  if (name === "" || name.length > 60 || isTaken) throw errors.E_NEW_NAME(folder, isTaken);
  return name;
}

/** Moves the staging folder to `root`: as a whole, or entry by entry if `root` is an existing empty folder. */
function moveIntoPlace(stagingFolder: string, root: string): void {
  if (!existsSync(root)) return renameSync(stagingFolder, root);
  const moved: string[] = [];
  try {
    for (const entry of readdirSync(stagingFolder)) {
      renameSync(join(stagingFolder, entry), join(root, entry));
      moved.push(entry);
    }
  } catch (error) {
    for (const entry of moved) rmSync(join(root, entry), { recursive: true, force: true });
    throw error;
  }
}
