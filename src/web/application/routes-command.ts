import { Command } from "../../core/index.ts";
import type { Route, Router } from "../../http/router/index.ts";
import { configuredPrefix } from "./configuration.ts";

/** Creates the command `routes`, which lists the routes in the order of declaration. */
export function routesCommand(router: Router): Command.Command {
  return Command.make({
    name: "routes",
    usage: "[--json]",
    description: "Shows all routes: methods, path, name and middlewares",
    run: (args, { output }) => {
      if (args.length > 1 || (args.length === 1 && args[0] !== "--json")) return undefined;
      const rows = router.routes.filter(({ isPlaceholder }) => !isPlaceholder).map(toRow);
      if (args[0] === "--json") output.print(JSON.stringify(rows, undefined, 2));
      else for (const line of formatTable(rows)) output.print(line);
      return Command.done;
    },
  });
}

interface Row {
  readonly methods: readonly string[];
  readonly path: string;
  readonly name: string | undefined;
  readonly middlewares: readonly string[];
}

function toRow({ methods, path, name, middlewares }: Route): Row {
  return {
    methods,
    path: `${configuredPrefix()}${path}`,
    name,
    // A middleware that is listed several times runs once, at its first position.
    middlewares: [...new Set(middlewares)].map((middleware) =>
      middleware.name === "" ? "anonymous" : middleware.name,
    ),
  };
}

function formatTable(rows: readonly Row[]): string[] {
  const cells = rows.map(({ methods, path, name, middlewares }) => [
    methods.length === 7 ? "ANY" : methods.join("|"),
    path,
    name ?? "-",
    middlewares.join(", ") || "-",
  ]);
  const columnWidth = (index: number): number => Math.max(0, ...cells.map((row) => row[index]?.length ?? 0));
  const [first, second, third] = [columnWidth(0), columnWidth(1), columnWidth(2)];
  return cells.map(
    ([method = "", path = "", name = "", middlewares = ""]) =>
      `${method.padEnd(first)}  ${path.padEnd(second)}  ${name.padEnd(third)}  ${middlewares}`,
  );
}
