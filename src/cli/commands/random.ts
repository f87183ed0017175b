import { Command } from "../../core/index.ts";
import { RandomInternals } from "../../random/index.ts";

/** Command `random`, which prints random bytes, for example for `FRAMEWORK_SECRET`. */
export const random: Command.Command = Command.make({
  name: "random",
  usage: "[bytes]",
  description: "Prints random bytes (default 32) in base64url, for example for FRAMEWORK_SECRET",
  run: ([bytes = "32", ...more], { output }) => {
    if (more.length > 0 || !/^[1-9]\d{0,3}$/.test(bytes)) return undefined;
    output.print(RandomInternals.base64url(Number(bytes)));
    return Command.done;
  },
});
