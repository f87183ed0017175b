import { type Environment, isError, isServer, Lifecycle, messageOf, type Service } from "../../core/index.ts";

/** Result of one check of the command `doctor`. */
export interface DoctorFinding extends Service.Finding {
  /** Name of a service, or `node`, `environment`, `configuration`, `secret`. */
  readonly subject: string;
}

/**
 * Starts the services that have checks, with their dependencies but without the server, runs the checks and stops the
 * services. A failure becomes a finding, and dependent services are skipped.
 */
export async function checkServices(
  services: readonly Service.Service[],
  environment: Environment,
): Promise<DoctorFinding[]> {
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
      addFinding(service, {
        level: "warning",
        message,
        advice: "Solve the problem of the dependency and run doctor again.",
      });
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
