import type { DatabaseName } from "../gen/database.ts";

/** What a project needs for one of them. */
export interface DatabaseChoice {
  readonly title: string;
  /** The package of its driver; `undefined` where Node brings it. */
  readonly driver: string | undefined;
  /** Where the database of a name is, on this machine; `undefined` where the framework's own default does. */
  readonly url: (name: string) => string | undefined;
  /** The commands that start it, and make the database for tests beside that for development. */
  readonly prepare: (name: string) => readonly string[];
  /** The service that runs it in CI, as lines of a workflow. */
  readonly service: (name: string) => string;
}

/** The choices, by name, the first being the default. */
export const databaseChoices: Readonly<Record<DatabaseName, DatabaseChoice>> = {
  sqlite: {
    title: "SQLite: a file, nothing to install",
    driver: undefined,
    url: () => undefined,
    prepare: () => [],
    service: () => "",
  },
  postgresql: {
    title: "PostgreSQL",
    driver: "pg",
    url: (name) => `postgresql://postgres@127.0.0.1:5432/${name}`,
    prepare: (name) => [
      "docker compose up --detach --wait db  # or a PostgreSQL of your own: see DATABASE_URL in .env and .env.test",
      `docker compose exec db createdb -U postgres ${name}_test`,
    ],
    service: (name) => `services:
  db:
    image: postgres:18-alpine
    env: { POSTGRES_DB: ${name}, POSTGRES_HOST_AUTH_METHOD: trust }
    ports: ["5432:5432"]
    options: --health-cmd pg_isready --health-interval 2s --health-retries 30`,
  },
  mariadb: {
    title: "MariaDB",
    driver: "mariadb",
    url: (name) => `mariadb://root@127.0.0.1:3306/${name}`,
    prepare: (name) => [
      "docker compose up --detach --wait db  # or a MariaDB of your own: see DATABASE_URL in .env and .env.test",
      `docker compose exec db mariadb -e "create database ${name}_test"`,
    ],
    service: (name) => `services:
  db:
    image: mariadb:11.8
    env: { MARIADB_DATABASE: ${name}, MARIADB_ALLOW_EMPTY_ROOT_PASSWORD: "1" }
    ports: ["3306:3306"]
    options: --health-cmd "healthcheck.sh --connect --innodb_initialized" --health-interval 2s --health-retries 30`,
  },
};
