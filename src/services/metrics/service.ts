import { Service, thisWorker } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { MetricsService } from "./contract.ts";
import { errors } from "./errors.ts";
import { exposition, type Family, familyOf, labelText } from "./exposition.ts";
import { check, makeHistogram, makeNumber, type Metric } from "./metrics.ts";
import type { ProcessMeter } from "./process.ts";
import { settings } from "./settings.ts";

type Read = (own: string) => Family | Promise<Family>;

const log = Log.source("limmat.metrics");
const patience = Time.seconds(2);
const topic = "metrics";

/**
 * Makes the service that knows the metrics of an application. They can be declared and counted before it is started.
 *
 * @example
 * export const metrics = Metrics.service();
 * export const orders = metrics.counter({ name: "shop_orders_total", help: "Orders placed", labels: ["country"] });
 * orders.add(1, { country: "ch" });
 */
export function service(): MetricsService {
  const reads = new Map<string, Read>();
  let services: readonly Service.Service[] = [];
  let meter: ProcessMeter | undefined;
  let stopAnswering: (() => void) | undefined;
  let reading: Promise<string> | undefined;

  const declare = (name: string, read: Read): void => {
    if (reads.has(name)) throw errors.E_METRIC_TAKEN(name);
    reads.set(name, read);
  };
  const declared = <Kind>({ kind, read }: Metric<Kind>, { name }: { readonly name: string }): Kind => {
    declare(name, read);
    return kind;
  };

  const own = async (): Promise<readonly Family[]> => {
    const worker = thisWorker();
    const label = worker === undefined ? "" : labelText({ worker: worker.number });
    const measured = [{ name: "process", measure: meter?.measure }, ...services].map(async ({ name, measure }) => {
      const figures = (await inTime(`The figures of "${name}"`, () => measure?.())) ?? [];
      return figures.map((figure) => familyOf(figure, label));
    });
    const counted = [...reads].map(async ([name, read]) => {
      const family = await inTime(`The metric "${name}"`, () => read(label));
      return family === undefined ? [] : [family];
    });
    return (await Promise.all([...measured, ...counted])).flat();
  };

  const read = async (): Promise<string> => {
    const worker = thisWorker();
    const others = worker === undefined ? undefined : inTime("The metrics of other workers", () => worker.ask(topic));
    const texts = (await others) ?? [];
    return exposition([...(await own()), ...texts.flatMap((text) => JSON.parse(text) as readonly Family[])]);
  };

  return {
    ...Service.make({
      name: "metrics",
      configuration: settings.fields,
      start: async (context) => {
        // Loaded here: a start that serves nothing never needs it (docs/decisions/008).
        const { meterProcess } = await import("./process.ts");
        services = context.services;
        meter = meterProcess();
        stopAnswering = thisWorker()?.onAsk(topic, async () => JSON.stringify(await own()));
      },
      stop: () => {
        stopAnswering?.();
        meter?.stop();
        meter = undefined;
      },
      check: ({ environment }) => {
        if (settings.read().token !== "")
          return [{ level: "ok", message: "The metrics are for who has METRICS_TOKEN" }];
        if (environment !== "production")
          return [{ level: "ok", message: "The metrics are open: METRICS_TOKEN is not set" }];
        return [
          {
            level: "warning",
            message: "METRICS_TOKEN is not set: nobody can read the metrics, unless their route has its own guard",
            advice: "Set it to what the command random makes, here and where they are read.",
          },
        ];
      },
    }),
    counter: (options) => declared(makeNumber("counter", options), options),
    gauge: (options) => declared(makeNumber("gauge", options), options),
    histogram: (options) => declared(makeHistogram(options), options),
    observableGauge: ({ name, help, read: ask }) => {
      check(name);
      declare(name, async (label) => familyOf({ name, type: "gauge", help, samples: [{ value: await ask() }] }, label));
    },
    // However many ask at once, it is read once.
    text: () => (reading ??= read().finally(() => (reading = undefined))),
  };
}

/** What the work gives, or `undefined` when it fails or is late: a figure that is missing must not hide the others. */
async function inTime<T>(what: string, work: () => T | Promise<T>): Promise<T | undefined> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = Time.after(patience, () => reject(new Error(`It did not answer within ${patience} ms`)));
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    log.warning(`${what} could not be read`, { error });
    return undefined;
  } finally {
    cancel();
  }
}
