import { Command } from "../../core/index.ts";
import { Random } from "../../random/index.ts";

/** The command `random`: random bytes, for `FRAMEWORK_SECRET` for instance. */
export const random: Command.Command = Command.make({
  name: "random",
  usage: "[bytes]",
  description: "Prints random bytes, 32 by default, in the URL-safe base64 alphabet: a good FRAMEWORK_SECRET",
  run: ([bytes = "32", ...more], { output }) => {
    if (more.length > 0 || !/^[1-9]\d{0,3}$/.test(bytes)) return undefined;
    output.print(Random.base64url(Number(bytes)));
    return Command.done;
  },
});
