import { Configuration, type ConfigurationField } from "../../../config/index.ts";

/** The configuration of a storage on the disk. */
export const settings: Configuration.Group<{
  readonly directory: ConfigurationField<string>;
}> = Configuration.group({
  directory: Configuration.string("STORAGE_DIR", {
    description: "the folder of stored files, seen from the project's",
    default: (environment) => `storage/${environment}`,
  }),
});
