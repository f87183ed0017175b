import type { Service } from "limmat";

/** Properties of the application that a deployment depends on. */
export interface ApplicationFacts {
  /** True if the application has the command `migrate`. */
  readonly hasMigrations: boolean;
  /** Keys of the URLs of SQLite databases, each with the name of the file below `shared/database`. */
  readonly sqliteKeys: Readonly<Record<string, string>>;
  /** Commands that copy SQLite databases: `database.backup`. */
  readonly backupCommands: readonly string[];
  /** True if files are stored on the disk, in `STORAGE_DIR`. */
  readonly storesFiles: boolean;
}

/** Reads the properties from the services of the application. */
export function applicationFacts(services: readonly Service.Service[]): ApplicationFacts {
  const commands = services.flatMap((service) => service.commands.map(({ name }) => name));
  const keys = services.flatMap((service) => service.configuration.map(({ key }) => key));
  const sqliteKeys = services
    .filter(({ implementation }) => implementation === "sqlite")
    .flatMap(({ name, configuration }) =>
      configuration.flatMap(({ key }) => (key.endsWith("_URL") ? [[key, fileName(name)] as const] : [])),
    );
  return {
    hasMigrations: commands.includes("migrate"),
    sqliteKeys: Object.fromEntries(sqliteKeys),
    backupCommands: commands.filter((name) => name.endsWith(".backup")),
    storesFiles: keys.includes("STORAGE_DIR"),
  };
}

const fileName = (service: string): string =>
  service === "database" ? "production.sqlite" : `${service.replaceAll(/[^\w-]+/g, "-")}.sqlite`;
