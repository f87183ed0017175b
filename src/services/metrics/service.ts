import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { currentWorker, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time, withDeadline } from "../../time/index.ts";
import type { MetricsService } from "./contract.ts";
import { formatFamilies, formatLabels, type MetricFamily, toFamily } from "./engine/exposition.ts";
import { checkMetric, makeCounterOrGauge, makeHistogram, type Register } from "./engine/instruments.ts";
import { collectProcessMetrics, type ProcessMetrics } from "./engine/process-metrics.ts";
import { errors } from "./errors.ts";

/** Configuration of the metrics. */
export const metricsSettings: Configuration.Group<{
  readonly token: ConfigurationField<Configuration.SecretText>;
}> = Configuration.group({
  token: Configuration.secret("METRICS_TOKEN", {
    description: "bearer token for reading the metrics, at least 16 characters; the command random generates one",
    default: "",
    validate: (token) =>
      token === "" || /^[\w.~+/-]{16,}=*$/.test(token)
        ? undefined
        : "must have at least 16 characters: letters, digits and - . _ ~ + /",
  }),
});

const log = Log.source("limmat.metrics");
const readTimeoutMs = Time.seconds(2);
const workerTopic = "metrics";

/**
 * Makes the service for the metrics of an application. Metrics can be declared and counted before it is started.
 *
 * @example
 * export const metrics = Metrics.service();
 * export const orders = metrics.counter({ name: "shop_orders_total", help: "Orders placed", labels: ["country"] });
 * orders.add(1, { country: "ch" });
 */
export function service(): MetricsService {
  const metrics = new Map<string, Parameters<Register>[1]>();
  let services: readonly Service.Service[] = [];
  let processMetrics: ProcessMetrics | undefined;
  let stopReplying: (() => void) | undefined;
  let pendingRead: Promise<string> | undefined;

  const register: Register = (name, read) => {
    if (metrics.has(name)) throw errors.E_METRIC_TAKEN(name);
    metrics.set(name, read);
  };

  const readOwnFamilies = async (): Promise<readonly MetricFamily[]> => {
    const worker = currentWorker();
    const processLabels = worker === undefined ? "" : formatLabels({ worker: worker.number });
    const sources = [{ name: "process", measure: processMetrics?.measure }, ...services];
    const serviceFamilies = sources.map(async ({ name, measure }) => {
      const serviceMetrics = (await withTimeout(`The metrics of "${name}"`, () => measure?.())) ?? [];
      return serviceMetrics.map((metric) => toFamily(metric, processLabels));
    });
    const applicationFamilies = [...metrics].map(async ([name, read]) => {
      const family = await withTimeout(`The metric "${name}"`, () => read(processLabels));
      return family === undefined ? [] : [family];
    });
    return (await Promise.all([...serviceFamilies, ...applicationFamilies])).flat();
  };

  const readText = async (): Promise<string> => {
    const replies = withTimeout("The metrics of other workers", () => currentWorker()?.queryWorkers(workerTopic));
    const workerTexts = (await replies) ?? [];
    const workerFamilies = workerTexts.flatMap((text) => JSON.parse(text) as readonly MetricFamily[]);
    return formatFamilies([...(await readOwnFamilies()), ...workerFamilies]);
  };

  return {
    ...Service.make({
      name: "metrics",
      configuration: metricsSettings.fields,
      start: (context) => {
        services = context.services;
        processMetrics = collectProcessMetrics();
        stopReplying = currentWorker()?.onQuery(workerTopic, async () => JSON.stringify(await readOwnFamilies()));
      },
      stop: () => {
        stopReplying?.();
        processMetrics?.stop();
        processMetrics = undefined;
      },
      check: ({ environment }) => {
        if (metricsSettings.read().token.reveal() !== "")
          return [{ level: "ok", message: "The metrics are protected by METRICS_TOKEN" }];
        if (environment !== "production")
          return [{ level: "ok", message: "The metrics are public: METRICS_TOKEN is not set" }];
        return [
          {
            level: "warning",
            message: "METRICS_TOKEN is not set: nobody can read the metrics, unless their route uses `allow`",
            advice: "Generate a token with the command random, and set it here and in the metrics collector.",
          },
        ];
      },
    }),
    counter: (options) => makeCounterOrGauge("counter", options, register),
    gauge: (options) => makeCounterOrGauge("gauge", options, register),
    histogram: (options) => makeHistogram(options, register),
    observableGauge: ({ name, help, read }) => {
      checkMetric(name);
      register(name, async (processLabels) =>
        toFamily({ name, type: "gauge", help, samples: [{ value: await read() }] }, processLabels),
      );
    },
    // Concurrent callers share one read.
    text: () => (pendingRead ??= readText().finally(() => (pendingRead = undefined))),
  };
}

/** Returns the result of a read, or `undefined` after a failure or timeout, so that one metric cannot hide the others. */
async function withTimeout<T>(subject: string, read: () => T | Promise<T>): Promise<T | undefined> {
  const timeoutError = (): Error => new Error(`No result within ${readTimeoutMs} ms`);
  try {
    return await withDeadline((async () => read())(), { timeoutMs: readTimeoutMs, timeoutError });
  } catch (error) {
    log.warning(`${subject} could not be read`, { error });
    return undefined;
  }
}
