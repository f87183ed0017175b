import { Configuration } from "../../config/index.ts";
import { Command } from "../../core/index.ts";
import { errors } from "../layout/errors.ts";

/** Command `check.layout`, which checks the imports of the project against the layout rules. */
export const checkLayout: Command.Command = Command.make({
  name: "check.layout",
  usage: "[--json]",
  description: "Checks the imports against the layout rules: app/domain imports nothing from the web, and others",
  run: async (args, { output }) => {
    const isJson = args[0] === "--json";
    if (args.length > (isJson ? 1 : 0)) return undefined;
    const layout = await import("../layout/check-layout.ts");
    const violations = layout.checkLayout(Configuration.root());
    if (isJson) output.print(JSON.stringify(violations));
    else for (const { path, line, message } of violations) output.print(`${path}:${line}  ${message}`);
    if (violations.length > 0) throw errors.E_LAYOUT(violations.length);
    if (!isJson) output.print("The imports follow the layout rules.");
    return Command.done;
  },
});
