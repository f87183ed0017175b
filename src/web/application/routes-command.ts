import { Command } from "../../core/index.ts";
import type { Router } from "../../http/router/index.ts";

/**
 * Creates the command `routes`, which lists the routes in the order of declaration. `--guards` shows the guards of each:
 * the middlewares that describe a required authentication, and those whose name begins with `require`.
 */
export function routesCommand(router: Router): Command.Command {
  return Command.make({
    name: "routes",
    usage: "[--guards | --json]",
    description: "Shows all routes: methods, path, name, and middlewares or guards",
    run: async ([option = "", ...others], { output }) => {
      if (others.length > 0 || !["", "--guards", "--json"].includes(option)) return undefined;
      const { formatRoutes } = await import("./format-routes.ts");
      for (const line of formatRoutes(router, option)) output.print(line);
      return Command.done;
    },
  });
}
