import { parseArgs, styleText } from "node:util";
import { Configuration } from "../../config/index.ts";
import { Command, type Environment, isError, isServer, Lifecycle, messageOf, type Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import type { AppDefinition } from "../contract.ts";
import { errors } from "../errors.ts";
import { checkEnvironment, type DoctorFinding } from "./environment-checks.ts";

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

/**
 * Starts the services that have checks, with their dependencies but without the server, runs the checks and stops the
 * services. A failure becomes a finding, and dependent services are skipped.
 */
async function checkServices(services: readonly Service.Service[], environment: Environment): Promise<DoctorFinding[]> {
  const ordered = Lifecycle.sortByDependencies(services);
  const checkedServices = new Set(Lifecycle.sortByDependencies(ordered.filter(({ health, check }) => health ?? check)));
  const running = new Set<Service.Service>();
  const failedServices = new Set<string>();
  const findings: DoctorFinding[] = [];
  const addFinding = (service: Service.Service, finding: Service.Finding): void => {
    findings.push({ subject: service.name, ...finding });
  };
  const attempt = async (service: Service.Service, failure: string, step: () => unknown): Promise<boolean> => {
    try {
      await step();
      return true;
    } catch (cause) {
      const reason = messageOf(cause);
      const code = isError(cause) ? { code: cause.code } : {};
      addFinding(service, { level: "problem", message: `The service ${failure}: ${reason}`, ...code });
      failedServices.add(service.name);
      return false;
    }
  };

  for (const service of checkedServices) {
    const failedDependency = service.dependencies().find((dependency) => !running.has(dependency));
    if (failedDependency !== undefined) {
      const message = `Not checked, because it depends on "${failedDependency.name}"`;
      const advice = "Solve the problem of the dependency and run doctor again.";
      addFinding(service, { level: "warning", message, advice });
      continue;
    }
    const isStarted = !isServer(service);
    if (isStarted && !(await attempt(service, "could not start", () => service.start({ services: ordered })))) continue;
    running.add(service);
    const isHealthy = !isStarted || (await attempt(service, "is not healthy", () => service.health?.()));
    if (isHealthy && service.health !== undefined && isStarted) {
      addFinding(service, { level: "ok", message: `The service works (${service.implementation})` });
    }
    await attempt(service, "could not be checked", async () => {
      const context = { environment, failedServices: [...failedServices] };
      for (const finding of (await service.check?.(context)) ?? []) addFinding(service, finding);
    });
  }
  for (const service of [...running].toReversed()) {
    if (!isServer(service)) await attempt(service, "could not stop", () => service.stop());
  }
  return findings;
}
