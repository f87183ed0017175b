import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { Command } from "../../core/index.ts";
import { RandomInternals } from "../../random/index.ts";
import { configuredPrefix, maintenanceFile } from "../application/configuration.ts";
import { defaultMaintenance, hashOf, readMaintenance, writeMaintenance } from "./state.ts";

/** Creates the command `maintenance`, which answers all requests to the site with 503, or ends that. */
export function maintenanceCommand(): Command.Command {
  return Command.make({
    name: "maintenance",
    usage: "[on [--message <text>] [--retry-after <seconds>] | off]",
    description: "Begins or ends the maintenance of the site, or shows whether it is on",
    run: (args, { output }) => {
      const { values, positionals } = parseArgs({
        args: [...args],
        options: { message: { type: "string" }, "retry-after": { type: "string" } },
        allowPositionals: true,
      });
      const [action = "show", ...others] = positionals;
      const seconds = values["retry-after"] ?? String(defaultMaintenance.retryAfterSeconds);
      const hasOptions = Object.keys(values).length > 0;
      if (others.length > 0 || !["on", "off", "show"].includes(action) || !/^\d{1,6}$/.test(seconds)) return undefined;
      if (hasOptions && action !== "on") return undefined;
      if (action === "off") rmSync(maintenanceFile(), { force: true });
      if (action === "on") {
        const secret = RandomInternals.base64url(16);
        writeMaintenance({ message: values.message, retryAfterSeconds: Number(seconds), secretHash: hashOf(secret) });
        output.print(`To see the site meanwhile, open the path ${configuredPrefix()}/${secret}`);
      }
      output.print(`Maintenance is ${readMaintenance() === undefined ? "off" : "on"}`);
      return Command.done;
    },
  });
}
