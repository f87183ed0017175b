import { currentWorker, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time, withDeadline } from "../../time/index.ts";
import type { MetricsService } from "./contract.ts";
import { formatFamilies, formatLabels, type MetricFamily, toFamily } from "./engine/exposition.ts";
import { checkMetric, makeCounterOrGauge, makeHistogram, type RegisteredMetric } from "./engine/instruments.ts";
import { collectProcessMetrics, type ProcessMetrics } from "./engine/process-metrics.ts";
import { errors } from "./errors.ts";
import { metricsSettings } from "./settings.ts";

type ReadMetric = (processLabels: string) => MetricFamily | Promise<MetricFamily>;

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
  const metrics = new Map<string, ReadMetric>();
  let services: readonly Service.Service[] = [];
  let processMetrics: ProcessMetrics | undefined;
  let stopReplying: (() => void) | undefined;
  let pendingRead: Promise<string> | undefined;

  const register = (name: string, read: ReadMetric): void => {
    if (metrics.has(name)) throw errors.E_METRIC_TAKEN(name);
    metrics.set(name, read);
  };
  const registerInstrument = <Instrument>(
    { instrument, read }: RegisteredMetric<Instrument>,
    { name }: { readonly name: string },
  ): Instrument => {
    register(name, read);
    return instrument;
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
    const worker = currentWorker();
    const replies =
      worker === undefined
        ? undefined
        : withTimeout("The metrics of other workers", () => worker.queryWorkers(workerTopic));
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
        if (metricsSettings.read().token !== "")
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
    counter: (options) => registerInstrument(makeCounterOrGauge("counter", options), options),
    gauge: (options) => registerInstrument(makeCounterOrGauge("gauge", options), options),
    histogram: (options) => registerInstrument(makeHistogram(options), options),
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
