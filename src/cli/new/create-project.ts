import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { Random } from "../../random/index.ts";
import { errors } from "./errors.ts";
import { databaseChoices, type DatabaseName, testPassword } from "../gen/database.ts";
import { packagePath, packageVersion, readPackageFile, renderStub } from "../gen/stub.ts";

/** Options of `createProject`. */
export interface ProjectOptions {
  /** Folder of the project, which must be missing or empty. The project takes its name. */
  readonly path: string;
  readonly database: DatabaseName;
  /** Path of a packed framework, which is copied into the project. Default: the version from the registry. */
  readonly tarball?: string;
}

/** New project. */
export interface Project {
  readonly root: string;
  readonly name: string;
  /** Name of the development database. The test database has the suffix `_test`. */
  readonly database: string;
}

/**
 * Creates a project: the template with its name, its database and a new secret. Creates all files or none.
 *
 * Runs on Node 18 and later, because the project itself installs the Node version it needs.
 *
 * @throws E_NEW_NAME, E_NEW_FOLDER
 */
export function createProject({ path, database, tarball }: ProjectOptions): Project {
  const { root, name } = resolveProjectFolder(path);
  const project = { root, name, database: toDatabaseName(name) };
  mkdirSync(dirname(root), { recursive: true });
  // Created in a sibling folder and renamed at the end, so that a failure leaves no files behind.
  const stagingFolder = mkdtempSync(join(dirname(root), `.${name}-`));
  try {
    cpSync(packagePath("template"), stagingFolder, { recursive: true });
    personalize(stagingFolder, name, database);
    for (const [file, text] of Object.entries(projectFiles(project, database, tarball))) {
      writeProjectFile(join(stagingFolder, file), text);
    }
    if (tarball !== undefined) {
      mkdirSync(join(stagingFolder, "vendor"));
      cpSync(tarball, join(stagingFolder, "vendor", basename(tarball)));
    }
    chmodSync(stagingFolder, 0o755);
    chmodSync(join(stagingFolder, ".env"), 0o600);
    moveIntoPlace(stagingFolder, root);
  } finally {
    rmSync(stagingFolder, { recursive: true, force: true });
  }
  return project;
}

/**
 * Returns the absolute path and the name of a new project.
 *
 * @throws E_NEW_NAME, E_NEW_FOLDER
 */
export function resolveProjectFolder(path: string): Pick<Project, "root" | "name"> {
  const root = resolve(path);
  const name = toPackageName(basename(root));
  const isFree = !existsSync(root) || (statSync(root).isDirectory() && isEmpty(root));
  if (!isFree) throw errors.E_NEW_FOLDER(root);
  return { root, name };
}

const isEmpty = (folder: string): boolean => readdirSync(folder).every((entry) => entry === ".git");

/** Returns the package name for a folder (npm's rules: lower case, URL-safe characters). */
function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "");
  if (name === "" || name.length > 60 || name === "node_modules" || name === "limmat") throw errors.E_NEW_NAME(folder);
  return name;
}

/**
 * Names that a server uses for itself, as a database or a user. PostgreSQL reserves all role names that begin with `pg_`.
 */
const reservedDatabaseName =
  /^(?:pg_.*|postgres|template[01]|public|none|root|mysql|sys|information_schema|performance_schema|healthcheck)$/;

/** Returns the name of the database for a package name, with a prefix if the database server reserves it. */
function toDatabaseName(packageName: string): string {
  const name = packageName.replaceAll(/[^a-z0-9]+/g, "_");
  // PostgreSQL cuts identifiers off after 63 bytes: 58 and the suffix of the test database.
  return (reservedDatabaseName.test(name) ? `app_${name}` : name).slice(0, 58);
}

/** Replaces name and database in the copied template, which is a project named "my-app" on SQLite. */
function personalize(root: string, name: string, database: DatabaseName): void {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const path = join(root, entry.name);
    if (entry.isDirectory()) {
      personalize(path, name, database);
      continue;
    }
    const text = readFileSync(path, "utf8");
    const changed = text.replaceAll("my-app", name).replaceAll(/\bsqlite\b(?!\*)/g, database);
    if (changed !== text) writeFileSync(path, changed);
  }
}

/** Returns the texts of the files that differ between projects, by path. */
function projectFiles(
  project: Project,
  database: DatabaseName,
  tarball: string | undefined,
): Readonly<Record<string, string>> {
  const { driver, url, ciService } = databaseChoices[database];
  const databaseLines = (password: string): string => {
    const databaseUrl = url(project.database, password);
    if (databaseUrl === undefined) return "";
    return `DATABASE_URL=${databaseUrl}\n# The password in the URL, for compose.yaml.\nDATABASE_PASSWORD=${password}`;
  };
  const testDatabase = `${project.database}_test`;
  return {
    "package.json": renderManifest(project.name, driver, tarball),
    ".gitignore": renderStub("new/gitignore", {}),
    ".npmrc": renderStub("new/npmrc", {}),
    ".env": renderStub("new/env", {
      secret: Random.token(),
      databaseUrl: databaseLines(Random.token()),
    }),
    ".env.example": renderStub("new/env.example", { databaseUrl: databaseLines("replace-me") }),
    ".env.test": renderStub("new/env.test", { databaseUrl: url(testDatabase, testPassword) ?? ":memory:" }),
    "compose.yaml": renderStub(`new/compose.${database}.yaml`, { database: project.database }),
    ".github/workflows/ci.yml": renderStub("new/ci.yml", { services: ciService(testDatabase) }),
  };
}

function renderManifest(name: string, driver: string | undefined, tarball: string | undefined): string {
  const { version } = JSON.parse(readPackageFile("package.json")) as { readonly version: string };
  const jsonLines = (packages: Readonly<Record<string, string>>): string =>
    Object.entries(packages)
      .map((pair) => pair.map((text) => JSON.stringify(text)).join(": "))
      .join(",\n");
  const pickVersions = (...names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(names.map((packageName) => [packageName, packageVersion(packageName)]));
  const limmat = tarball === undefined ? version : `file:vendor/${basename(tarball)}`;
  return renderStub("new/package.json", {
    name,
    dependencies: jsonLines({ limmat, ...(driver === undefined ? {} : pickVersions(driver)) }),
    devDependencies: jsonLines(pickVersions("@types/node", "oxfmt", "oxlint", "oxlint-tsgolint", "typescript")),
  });
}

function writeProjectFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Moves the staging folder to `root`: as a whole, or entry by entry if `root` is an existing empty folder. */
function moveIntoPlace(stagingFolder: string, root: string): void {
  if (!existsSync(root)) return renameSync(stagingFolder, root);
  for (const entry of readdirSync(stagingFolder)) renameSync(join(stagingFolder, entry), join(root, entry));
}
