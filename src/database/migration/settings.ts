import { Configuration, type ConfigurationField } from "../../config/index.ts";

/** Configuration of migrations. */
export const migrationSettings: Configuration.Group<{
  readonly table: ConfigurationField<string>;
}> = Configuration.group({
  table: Configuration.string("MIGRATION_STATE_TABLE", {
    description: "table that records the applied migrations",
    default: "migration_state",
    validate: (name) => (/^[A-Za-z_]\w{0,62}$/.test(name) ? undefined : "must be letters, digits and underscores"),
  }),
});

/** Returns the name of the table that records the applied migrations. */
export function stateTableName(): string {
  return migrationSettings.read().table;
}
