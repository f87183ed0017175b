import { Command } from "../../core/index.ts";
import type { Route, Router } from "../../http/router/index.ts";
import { configuredPrefix } from "./configuration.ts";

/** The command `routes`: shows what the application answers, in the order of declaration. */
export function routesCommand(router: Router): Command.Command {
  return Command.make({
    name: "routes",
    usage: "[--json]",
    description: "Shows all routes: methods, path, name and middlewares",
    run: (args, { output }) => {
      if (args.length > 1 || (args.length === 1 && args[0] !== "--json")) return undefined;
      const rows = router.routes.filter(({ isPlaceholder }) => !isPlaceholder).map(describe);
      if (args[0] === "--json") output.print(JSON.stringify(rows, undefined, 2));
      else for (const line of table(rows)) output.print(line);
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

function describe({ methods, path, name, middlewares }: Route): Row {
  return {
    methods,
    path: `${configuredPrefix()}${path}`,
    name,
    // One that is listed several times runs once, where it stands first.
    middlewares: [...new Set(middlewares)].map((middleware) =>
      middleware.name === "" ? "anonymous" : middleware.name,
    ),
  };
}

function table(rows: readonly Row[]): string[] {
  const cells = rows.map(({ methods, path, name, middlewares }) => [
    methods.length === 7 ? "ANY" : methods.join("|"),
    path,
    name ?? "-",
    middlewares.join(", ") || "-",
  ]);
  const width = (at: number): number => Math.max(0, ...cells.map((row) => row[at]?.length ?? 0));
  const [first, second, third] = [width(0), width(1), width(2)];
  return cells.map(
    ([method = "", path = "", name = "", middlewares = ""]) =>
      `${method.padEnd(first)}  ${path.padEnd(second)}  ${name.padEnd(third)}  ${middlewares}`,
  );
}
