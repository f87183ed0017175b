import { parseArgs, styleText } from "node:util";
import { Configuration } from "../../config/index.ts";
import { Command } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import type { AppDefinition } from "../contract.ts";
import { errors } from "../errors.ts";
import { checkEnvironment } from "./environment-checks.ts";
import { checkServices, type DoctorFinding } from "./service-checks.ts";

/** Runs the command `doctor`. @throws E_DOCTOR_PROBLEMS */
export async function runDoctor(
  definition: AppDefinition,
  args: readonly string[],
  output: Command.Output,
): Promise<Command.Done> {
  const { json, production } = parseArgs({
    args: [...args],
    options: { json: { type: "boolean" }, production: { type: "boolean" } },
  }).values;
  // The findings replace the warnings of the log. Errors are still logged, because only the log has their stacks.
  Log.configure({ level: "error", reporters: [Log.Reporters.console({ onlyStderr: true })] });
  const findings = await checkApplication(definition, production === true);
  if (json === true) output.print(JSON.stringify({ findings }, undefined, 2));
  else for (const finding of findings) output.print(formatFinding(finding));
  const problems = findings.filter(({ level }) => level === "problem").length;
  if (problems > 0) throw errors.E_DOCTOR_PROBLEMS(problems);
  return Command.done;
}

async function checkApplication(
  { services, beforeStart, afterStop }: AppDefinition,
  isForProduction: boolean,
): Promise<readonly DoctorFinding[]> {
  await using cleanup = new AsyncDisposableStack();
  await beforeStart?.();
  cleanup.defer(async () => afterStop?.());
  const environment = isForProduction ? "production" : Configuration.environment();
  const environmentFindings = await checkEnvironment(services, environment);
  return [...environmentFindings, ...(await checkServices(services, environment))];
}

const levelColors = { ok: "green", warning: "yellow", problem: "red" } as const;

function formatFinding({ subject, level, message, advice }: DoctorFinding): string {
  const label = styleText(levelColors[level], level.padEnd(7), { validateStream: false });
  const line = `${label}  ${styleText("bold", subject, { validateStream: false })}: ${message}`;
  return advice === undefined ? line : `${line}\n${" ".repeat(9)}${advice}`;
}
