import { Configuration, type ConfigurationField } from "../../config/index.ts";

/** The configuration of the metrics. */
export const settings: Configuration.Group<{
  readonly token: ConfigurationField<string>;
}> = Configuration.group({
  token: Configuration.secret("METRICS_TOKEN", {
    description:
      "what a reader of the metrics sends as a bearer token, at least 16 characters: the command random makes one",
    default: "",
    validate: (token) =>
      token === "" || /^[\w.~+/-]{16,}=*$/.test(token)
        ? undefined
        : "must have at least 16 characters: letters, digits and - . _ ~ + /",
  }),
});
