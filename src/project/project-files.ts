import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { databaseChoices, type DatabaseName, testPassword } from "./database.ts";
import { frameworkVersion, packagePath, packageVersion, readPackageFile, renderStub, type StubValues } from "./stub.ts";
import { formatRecord, recordPath } from "./project-record.ts";

/** Values that the files of a project depend on. */
export interface ProjectValues {
  /** Name of the package. */
  readonly name: string;
  readonly database: DatabaseName;
  /** True for a project without the example of the template: its model, API, command, schedule and middleware. */
  readonly isBare: boolean;
  readonly secret: string;
  readonly databasePassword: string;
  /** Path of a packed framework in `vendor`. Default: the version from the registry. */
  readonly tarball?: string | undefined;
}

/** Texts of the files of a project, by path from its root, with `/` as separator. */
export type ProjectFiles = ReadonlyMap<string, string>;

/**
 * Name of a file of the template that a project without the example lacks. A stub in `stubs/new/bare` replaces a file of the
 * same path.
 */
const exampleFile = /(?:greeting|handler\/hello|server-timing|test\/schedule\.test)[^/]*(?:\/|$)/;

/** Returns the files of a new project. */
export function renderProject(values: ProjectValues): ProjectFiles {
  const { name, database, isBare } = values;
  const files = new Map<string, string>();
  for (const [path, text] of readFolder("template")) {
    if (isBare && exampleFile.test(path)) continue;
    files.set(path, personalize(isBare ? withoutExample(text) : text, name, database));
  }
  if (isBare) {
    for (const [path, text] of readFolder("stubs/new/bare")) {
      files.set(path.replace(/\.stub$/, ""), personalize(text, name, database));
    }
  }
  for (const [path, text] of Object.entries(renderConfigurationFiles(values))) files.set(path, text);
  files.set(recordPath, formatRecord(frameworkVersion(), isBare, files));
  return files;
}

/** Removes the API of the example from a file: its section, its token service and its middleware. */
const withoutExample = (text: string): string =>
  text
    .replace(/^## API\n[^]*?(?=^## )/m, "")
    .replaceAll(/^.*(?:tokenApi|const token\b|server-timing).*\n/gm, "")
    .replaceAll(/, [Tt]oken\b|\bserverTiming\b/g, "");

/** Returns the files of a folder of the package by path from the folder. */
function readFolder(folder: string): (readonly [path: string, text: string])[] {
  const read = (path: string): (readonly [path: string, text: string])[] =>
    readdirSync(packagePath(join(folder, path)), { withFileTypes: true }).flatMap((entry) => {
      const entryPath = path === "" ? entry.name : `${path}/${entry.name}`;
      return entry.isDirectory() ? read(entryPath) : [[entryPath, readPackageFile(`${folder}/${entryPath}`)] as const];
    });
  return read("");
}

/** Replaces name and database in a file of the template, which is a project named "my-app" on SQLite. */
const personalize = (text: string, name: string, database: DatabaseName): string =>
  text.replaceAll("my-app", name).replaceAll(/\bsqlite\b(?!\*)/g, database);

/** Returns the files that configure a project, by path: packages, environment, containers and CI. */
function renderConfigurationFiles(values: ProjectValues): Readonly<Record<string, string>> {
  const { name, database, secret, databasePassword, tarball } = values;
  const { driver, url } = databaseChoices[database];
  const databaseUser = toDatabaseName(name);
  const testDatabase = `${databaseUser}_test`;
  return {
    "package.json": renderManifest(name, driver, tarball),
    ".gitignore": renderStub("new/gitignore", {}),
    ".npmrc": renderStub("new/npmrc", {}),
    ".env": renderStub("new/env", {
      secret,
      databaseUrl: databaseLines(name, database, databasePassword),
    }),
    ".env.example": renderStub("new/env.example", { databaseUrl: databaseLines(name, database, "replace-me") }),
    ".env.test": renderStub("new/env.test", { databaseUrl: url(testDatabase, testPassword) ?? ":memory:" }),
    "compose.yaml": renderStub("new/compose.yaml", { database: databaseUser }, serverValues(database)),
    ".github/workflows/ci.yml": renderStub("new/ci.yml", { testDatabase, testPassword }, serverValues(database)),
  };
}

/** Returns the values of stubs that start a database server. */
function serverValues(server: DatabaseName): StubValues {
  const [sqlite, postgresql, mariadb] = [server === "sqlite", server === "postgresql", server === "mariadb"];
  // The server of a project on SQLite is for a later change, so that it may have no password yet.
  const password = `\${DATABASE_PASSWORD:${sqlite ? "-" : "?set it in .env"}}`;
  return { sqlite, postgresql, mariadb, server, port: mariadb ? "3306" : "5432", password };
}

function renderManifest(name: string, driver: string | undefined, tarball: string | undefined): string {
  const jsonLines = (packages: Readonly<Record<string, string>>): string =>
    Object.entries(packages)
      .map((pair) => pair.map((text) => JSON.stringify(text)).join(": "))
      .join(",\n");
  const pickVersions = (...names: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(names.map((packageName) => [packageName, packageVersion(packageName)]));
  const limmat = tarball === undefined ? frameworkVersion() : `file:vendor/${basename(tarball)}`;
  return renderStub("new/package.json", {
    name,
    dependencies: jsonLines({ limmat, ...(driver === undefined ? {} : pickVersions(driver)) }),
    devDependencies: jsonLines(pickVersions("@types/node", "oxfmt", "oxlint", "oxlint-tsgolint", "typescript")),
  });
}

/** Returns the lines of `.env` that configure the database of a project; empty for a database without configuration. */
export function databaseLines(name: string, database: DatabaseName, password: string): string {
  const databaseUrl = databaseChoices[database].url(toDatabaseName(name), password);
  if (databaseUrl === undefined) return "";
  return `DATABASE_URL=${databaseUrl}\n# The password in the URL, for compose.yaml.\nDATABASE_PASSWORD=${password}`;
}

/**
 * Names that a server uses for itself, as a database or a user. PostgreSQL reserves all role names that begin with `pg_`.
 */
const reservedDatabaseName =
  /^(?:pg_.*|postgres|template[01]|public|none|root|mysql|sys|information_schema|performance_schema|healthcheck)$/;

/** Returns the name of the database of a project by its package name, with a prefix if the database server reserves it. */
export function toDatabaseName(packageName: string): string {
  const name = packageName.replaceAll(/[^a-z0-9]+/g, "_");
  // PostgreSQL cuts identifiers off after 63 bytes: 58 and the suffix of the test database.
  return (reservedDatabaseName.test(name) ? `app_${name}` : name).slice(0, 58);
}
