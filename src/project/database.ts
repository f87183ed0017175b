import { suggest } from "../core/index.ts";
import { errors } from "./errors.ts";

/** Supported databases, the default first. */
export const databases = ["sqlite", "postgresql", "mariadb"] as const;

/** Name of a supported database, as in the entry point `limmat/database/<name>`. */
export type DatabaseName = (typeof databases)[number];

/**
 * Parses the name of a database.
 *
 * @throws E_GENERATE_DATABASE
 */
export function parseDatabase(name: string): DatabaseName {
  const database = databases.find((supported) => supported === name);
  if (database === undefined) throw errors.E_GENERATE_DATABASE(name, databases, suggest(name, databases)[0]);
  return database;
}

/** Settings of a new project for one database. */
export interface DatabaseChoice {
  /** Name for people. */
  readonly label: string;
  /** Package of the driver; `undefined` if Node includes it. */
  readonly driver: string | undefined;
  /** Returns the URL of a local database and its user of the same name; `undefined` if the framework's default suffices. */
  readonly url: (name: string, password: string) => string | undefined;
  /** Commands that start the server with the databases of development and tests. */
  readonly setupCommands: readonly string[];
}

/** Password of the database of the tests. It is no secret: its user has access to that database only. */
export const testPassword = "test";

const startServer = (label: string): string =>
  `docker compose up --detach --wait db  # or a ${label} of your own: see DATABASE_URL in .env and .env.test`;

/** Database choices by name. The first one is the default. */
export const databaseChoices: Readonly<Record<DatabaseName, DatabaseChoice>> = {
  sqlite: {
    label: "SQLite",
    driver: undefined,
    url: () => undefined,
    setupCommands: [],
  },
  postgresql: {
    label: "PostgreSQL",
    driver: "pg",
    url: (name, password) => `postgresql://${name}:${password}@127.0.0.1:5432/${name}`,
    setupCommands: [startServer("PostgreSQL")],
  },
  mariadb: {
    label: "MariaDB",
    driver: "mariadb",
    url: (name, password) => `mariadb://${name}:${password}@127.0.0.1:3306/${name}`,
    setupCommands: [startServer("MariaDB")],
  },
};
