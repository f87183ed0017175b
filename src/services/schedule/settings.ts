import { Configuration, type ConfigurationField } from "../../config/index.ts";

/** Configuration of schedules. */
export const scheduleSettings: Configuration.Group<{
  readonly shouldRunSchedules: ConfigurationField<boolean>;
}> = Configuration.group({
  shouldRunSchedules: Configuration.bool("SCHEDULE_RUN", {
    description: "true to run the schedules in a process that runs the server",
    default: (environment) => environment !== "test",
  }),
});
