import { Configuration, type ConfigurationField } from "../../config/index.ts";

/** The configuration of schedules. */
export const settings: Configuration.Group<{
  readonly isRun: ConfigurationField<boolean>;
}> = Configuration.group({
  isRun: Configuration.bool("SCHEDULE_RUN", {
    description: "whether the server of this process runs the schedules",
    default: (environment) => environment !== "test",
  }),
});
