import { Lifecycle, type Service } from "../../core/index.ts";

/** What was found, and where. */
export interface About extends Service.Finding {
  /** The name of a service, or `node`, `configuration`, `secret`. */
  readonly about: string;
}

/**
 * Starts the services that can say something about themselves, with all that they depend on but without the server, asks
 * each, and stops them again. What fails is a finding, and what depends on it is left out.
 */
export async function examineServices(
  services: readonly Service.Service[],
  context: Service.CheckContext,
): Promise<About[]> {
  const ordered = Lifecycle.inOrder(services);
  const needed = new Set(Lifecycle.inOrder(ordered.filter(({ health, check }) => health ?? check)));
  const running = new Set<Service.Service>();
  const found: About[] = [];
  const add = (service: Service.Service, finding: Service.Finding): void => {
    found.push({ about: service.name, ...finding });
  };
  const attempt = async (service: Service.Service, what: string, work: () => unknown): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      add(service, { level: "problem", message: `The service ${what}: ${reason}` });
      return false;
    }
  };

  for (const service of needed) {
    const lacking = service.dependencies().find((dependency) => !running.has(dependency));
    if (lacking !== undefined) {
      const message = `Not examined, because it depends on "${lacking.name}"`;
      add(service, { level: "warning", message, advice: "Solve that first, and ask again." });
      continue;
    }
    const isServer = service.fetch !== undefined;
    if (!isServer && !(await attempt(service, "could not start", () => service.start({ services: ordered })))) continue;
    running.add(service);
    const isWell = isServer || (await attempt(service, "cannot do its work", () => service.health?.()));
    if (isWell && service.health !== undefined && !isServer) {
      add(service, { level: "ok", message: `The service works (${service.implementation})` });
    }
    await attempt(service, "could not be examined", async () => {
      for (const finding of (await service.check?.(context)) ?? []) add(service, finding);
    });
  }
  for (const service of [...running].toReversed()) {
    if (service.fetch === undefined) await attempt(service, "could not stop", () => service.stop());
  }
  return found;
}
