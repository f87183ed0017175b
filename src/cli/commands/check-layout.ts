import { Configuration } from "../../config/index.ts";
import { Command } from "../../core/index.ts";
import { errors } from "../layout/errors.ts";

/** The command `check.layout`: whether the parts of the project know only of what they may. */
export const checkLayout: Command.Command = Command.make({
  name: "check.layout",
  usage: "[--json]",
  description: "Checks that the domain knows nothing of the web, and the other rules of the layout",
  run: async (args, { output }) => {
    const isJson = args[0] === "--json";
    if (args.length > (isJson ? 1 : 0)) return undefined;
    const layout = await import("../layout/check-layout.ts");
    const violations = layout.checkLayout(Configuration.root());
    if (isJson) output.print(JSON.stringify(violations));
    else for (const { path, line, message } of violations) output.print(`${path}:${line}  ${message}`);
    if (violations.length > 0) throw errors.E_LAYOUT(violations.length);
    if (!isJson) output.print("The layout is in order.");
    return Command.done;
  },
});
