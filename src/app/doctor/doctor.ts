import { parseArgs, styleText } from "node:util";
import { Configuration } from "../../config/index.ts";
import { Command } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import type { AppDefinition } from "../app.ts";
import { errors } from "../errors.ts";
import type { About } from "./examine.ts";

/**
 * The command `doctor`: looks at Node, configuration, secret and services, says what is wrong and what to do about it, and
 * fails if there is a problem. With `--production` it judges whether the application could go to production.
 */
export function doctorCommand(definition: AppDefinition): Command.Command {
  return Command.make({
    name: "doctor",
    usage: "[--production] [--json]",
    description: "Examines configuration, secret, database, migrations and headers, and says what to do",
    run: async (args, { output }) => {
      const { json, production } = parseArgs({
        args: [...args],
        options: { json: { type: "boolean" }, production: { type: "boolean" } },
      }).values;
      // The findings tell what the log would; what led to an error is told by the log alone.
      Log.configure({ level: "error", reporters: [Log.consoleReporter({ onlyStderr: true })] });
      const found = await examine(definition, production === true);
      if (json === true) output.print(JSON.stringify({ findings: found }, undefined, 2));
      else for (const finding of found) output.print(textOf(finding));
      const problems = found.filter(({ level }) => level === "problem").length;
      if (problems > 0) throw errors.E_DOCTOR_PROBLEMS(problems);
      return Command.done;
    },
  });
}

async function examine(
  { services, beforeStart, afterStop }: AppDefinition,
  isForProduction: boolean,
): Promise<readonly About[]> {
  // Loaded here, so that all other commands start as fast as without.
  const [{ examineServices }, { examineSurroundings }] = await Promise.all([
    import("./examine.ts"),
    import("./surroundings.ts"),
  ]);
  await using undoing = new AsyncDisposableStack();
  await beforeStart?.();
  undoing.defer(async () => afterStop?.());
  const environment = isForProduction ? "production" : Configuration.environment();
  const surroundings = examineSurroundings(services, environment);
  return [...surroundings, ...(await examineServices(services, { environment }))];
}

const colors = { ok: "green", warning: "yellow", problem: "red" } as const;

function textOf({ about, level, message, advice }: About): string {
  const mark = styleText(colors[level], level.padEnd(7), { validateStream: false });
  const line = `${mark}  ${styleText("bold", about, { validateStream: false })}: ${message}`;
  return advice === undefined ? line : `${line}\n${" ".repeat(9)}${advice}`;
}
