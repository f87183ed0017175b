import { Configuration, type ConfigurationField } from "../../config/index.ts";

/** Configuration of the metrics. */
export const metricsSettings: Configuration.Group<{
  readonly token: ConfigurationField<string>;
}> = Configuration.group({
  token: Configuration.secret("METRICS_TOKEN", {
    description: "bearer token for reading the metrics, at least 16 characters; the command random generates one",
    default: "",
    validate: (token) =>
      token === "" || /^[\w.~+/-]{16,}=*$/.test(token)
        ? undefined
        : "must have at least 16 characters: letters, digits and - . _ ~ + /",
  }),
});
