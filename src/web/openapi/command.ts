import { Command } from "../../core/index.ts";
import { configuredPrefix } from "../application/configuration.ts";
import type { Router } from "../../http/router/index.ts";
import { documentServedBy } from "./router.ts";

/** Creates the command `openapi`, which prints the document of the application. It throws the errors of `documentServedBy`. */
export function openApiCommand(router: Router): Command.Command {
  return Command.make({
    name: "openapi",
    usage: "[<host>]",
    description: "Prints the OpenAPI document that the application serves",
    run: async ([host, ...others], { output }) => {
      if (others.length > 0) return undefined;
      output.print(JSON.stringify(await documentServedBy(router, configuredPrefix(), host), undefined, 2));
      return Command.done;
    },
  });
}
