import { Configuration, type ConfigurationField } from "../../config/index.ts";

/** The configuration of migrations. */
export const settings: Configuration.Group<{
  readonly table: ConfigurationField<string>;
}> = Configuration.group({
  table: Configuration.string("MIGRATION_STATE_TABLE", {
    description: "the table that says which migrations were applied",
    default: "migration_state",
    validate: (name) => (/^[A-Za-z_]\w{0,62}$/.test(name) ? undefined : "must be letters, digits and underscores"),
  }),
});

/** The name of the table that says which migrations were applied. */
export function stateTable(): string {
  return settings.read().table;
}
