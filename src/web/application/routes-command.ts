import { Command } from "../../core/index.ts";
import { type Middleware, methods as allMethods, type Route, type Router } from "../../http/router/index.ts";
import { configuredPrefix } from "./configuration.ts";
import { mayGuard } from "./guards.ts";
import { describeUnnamed } from "./unnamed-middlewares.ts";

/**
 * Creates the command `routes`, which lists the routes in the order of declaration. `--guards` shows the guards of each:
 * the middlewares that describe a required authentication, those whose name begins with `require`, and the policy of the
 * resource. It also shows middlewares without a name, because they may be guards.
 */
export function routesCommand(router: Router): Command.Command {
  return Command.make({
    name: "routes",
    usage: "[--guards | --json]",
    description: "Shows all routes: methods, path, name, and middlewares or guards",
    run: async ([option = "", ...others], { output }) => {
      if (others.length > 0 || !["", "--guards", "--json"].includes(option)) return undefined;
      const routes = router.routes.filter(({ isPlaceholder }) => !isPlaceholder);
      const middlewares = new Set(routes.flatMap((route) => route.middlewares));
      const unnamed = await describeUnnamed([...middlewares].filter(({ name }) => name === ""));
      const rows = routes.map((route) =>
        toRow(route, (middleware) => nameOf(unnamed.get(middleware) ?? middleware.name)),
      );
      if (option === "--json") output.print(JSON.stringify(rows, undefined, 2));
      else for (const line of formatTable(rows, option === "--guards")) output.print(line);
      return Command.done;
    },
  });
}

interface Row {
  readonly methods: readonly string[];
  readonly path: string;
  readonly name: string | undefined;
  readonly middlewares: readonly string[];
  readonly guards: readonly string[];
}

function toRow({ methods, path, name, middlewares, guard }: Route, display: (middleware: Middleware) => string): Row {
  // A middleware that is listed several times runs once, at its first position.
  const distinct = [...new Set(middlewares)];
  return {
    methods,
    path: `${configuredPrefix()}${path}`,
    name,
    middlewares: distinct.map(display),
    guards: [
      ...distinct.filter((middleware) => mayGuard(middleware, display(middleware))).map(display),
      ...(guard === undefined ? [] : [guard]),
    ],
  };
}

// A bundler appends `$1` to the second of two functions with one name in a file, also in the package of the framework.
const nameOf = (name: string): string => name.replace(/\$\d+$/, "") || "anonymous";

function formatTable(rows: readonly Row[], showsGuards: boolean): string[] {
  const cells = rows.map(({ methods, path, name, middlewares, guards }) => [
    methods.length === allMethods.length ? "ANY" : methods.join("|"),
    path,
    name ?? "-",
    (showsGuards ? guards : middlewares).join(", ") || "-",
  ]);
  const columnWidth = (index: number): number => Math.max(0, ...cells.map((row) => row[index]?.length ?? 0));
  const [first, second, third] = [columnWidth(0), columnWidth(1), columnWidth(2)];
  return cells.map(
    ([method = "", path = "", name = "", middlewares = ""]) =>
      `${method.padEnd(first)}  ${path.padEnd(second)}  ${name.padEnd(third)}  ${middlewares}`,
  );
}
