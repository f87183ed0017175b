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
import type { DatabaseName } from "../gen/database.ts";
import { readText, packagePath, renderStub } from "../gen/stub.ts";
import { databaseChoices } from "./database.ts";

/** What a new project is to be. */
export interface ProjectOptions {
  /** The folder, which must not exist or be empty. Its name is that of the project. */
  readonly path: string;
  readonly database: DatabaseName;
  /** A packed framework that the project is to depend on; it is copied into the project. Default: the one of the registry. */
  readonly tarball?: string;
}

/** A project that was made. */
export interface Project {
  readonly root: string;
  readonly name: string;
  /** What the database is called in development; the one for tests has `_test` behind. */
  readonly database: string;
}

/**
 * Makes a project: the template with its name, its database, and a secret of its own. All files are there, or none.
 *
 * Runs on every Node from 18 on, so that a machine with an old one can make a project that brings the right one.
 *
 * @throws E_NEW_NAME, E_NEW_FOLDER
 */
export function createProject({ path, database, tarball }: ProjectOptions): Project {
  const { root, name } = checkFolder(path);
  const project = { root, name, database: name.replaceAll(/[^a-z0-9]+/g, "_") };
  mkdirSync(dirname(root), { recursive: true });
  // Made beside its place and moved there at the end, so that a failure leaves nothing behind.
  const draft = mkdtempSync(join(dirname(root), `.${name}-`));
  try {
    cpSync(packagePath("template"), draft, { recursive: true });
    personalize(draft, name, database);
    for (const [file, text] of Object.entries(ownFiles(project, database, tarball))) write(join(draft, file), text);
    if (tarball !== undefined) {
      mkdirSync(join(draft, "vendor"));
      cpSync(tarball, join(draft, "vendor", basename(tarball)));
    }
    chmodSync(draft, 0o755);
    chmodSync(join(draft, ".env"), 0o600);
    place(draft, root);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return project;
}

/**
 * Where a project would be, and what it would be called.
 *
 * @throws E_NEW_NAME, E_NEW_FOLDER
 */
export function checkFolder(path: string): Pick<Project, "root" | "name"> {
  const root = resolve(path);
  const name = packageName(basename(root));
  const isFree = !existsSync(root) || (statSync(root).isDirectory() && isEmpty(root));
  if (!isFree) throw errors.E_NEW_FOLDER(root);
  return { root, name };
}

const isEmpty = (folder: string): boolean => readdirSync(folder).every((entry) => entry === ".git");

/** The name of a package that a folder can lend (npm's rules: lower case, no sign that a URL would need to escape). */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|[._-]+$/g, "");
  if (name === "" || name.length > 60 || name === "node_modules" || name === "limmat") throw errors.E_NEW_NAME(folder);
  return name;
}

/** The template is a project called "my-app" on SQLite: a new one has other words in their place. */
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

/** The files that differ from project to project, by path. */
function ownFiles(
  project: Project,
  database: DatabaseName,
  tarball: string | undefined,
): Readonly<Record<string, string>> {
  const { driver, url, service } = databaseChoices[database];
  const line = (of: string): string => (url(of) === undefined ? "" : `DATABASE_URL=${url(of)}`);
  const test = `${project.database}_test`;
  return {
    "package.json": manifest(project.name, driver, tarball),
    ".gitignore": renderStub("new/gitignore", {}),
    ".npmrc": renderStub("new/npmrc", {}),
    ".env": renderStub("new/env", {
      secret: Random.token(),
      databaseUrl: line(project.database),
    }),
    ".env.example": renderStub("new/env.example", { databaseUrl: line(project.database) }),
    ".env.test": renderStub("new/env.test", { databaseUrl: line(test) }),
    "compose.yaml": renderStub(`new/compose.${database}.yaml`, { database: project.database }),
    ".github/workflows/ci.yml": renderStub("new/ci.yml", { services: service(test) }),
  };
}

interface Manifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function manifest(name: string, driver: string | undefined, tarball: string | undefined): string {
  const { version, devDependencies: known } = JSON.parse(readText("package.json")) as Manifest;
  const lines = (packages: Readonly<Record<string, string | undefined>>): string =>
    Object.entries(packages)
      .map(([key, of]) => `${JSON.stringify(key)}: ${JSON.stringify(of)}`)
      .join(",\n");
  const pick = (...names: readonly string[]): Readonly<Record<string, string | undefined>> =>
    Object.fromEntries(names.map((each) => [each, known[each]]));
  const limmat = tarball === undefined ? version : `file:vendor/${basename(tarball)}`;
  return renderStub("new/package.json", {
    name,
    dependencies: lines({ limmat, ...(driver === undefined ? {} : pick(driver)) }),
    devDependencies: lines(pick("@types/node", "oxfmt", "oxlint", "oxlint-tsgolint", "typescript")),
  });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Moves the draft to its place: as a whole where there is nothing, entry by entry into an empty folder. */
function place(draft: string, root: string): void {
  if (!existsSync(root)) return renameSync(draft, root);
  for (const entry of readdirSync(draft)) renameSync(join(draft, entry), join(root, entry));
}
