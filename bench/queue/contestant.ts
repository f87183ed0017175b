// Runs one queue in its own process: `contestant.ts <name> <engine> <url> <benchmark>`. Answers the messages of run.ts.
import type { Contestant, Input, Open } from "./contestants/contestant.ts";

/**
 * Name of a benchmark: jobs dispatched one by one, 20 at the same time; jobs dispatched 100 at a time; jobs dispatched 100 at a
 * time and run; and the latency of one job with an idle worker.
 */
export type WorkName = "dispatch" | "dispatchAll" | "through" | "wait";

/** Message from run.ts: number of jobs of one round. */
export interface Question {
  readonly jobs: number;
}

/** CPU time of the process and elapsed time, each per job, in µs. */
export interface Found {
  readonly cpu: number;
  readonly time: number;
}

const [, , name = "", engine = "", url = "", work = ""] = process.argv;

let number = 0;
const input = (): Input => ({ number: (number += 1), to: `visitor${number % 1000}@example.org` });
const inputs = (count: number): readonly Input[] => Array.from({ length: count }, input);

const unseen = new Set<number>();
let seenAll = (): void => {};
function handle({ number: seen, to }: Input): void {
  if (!to.endsWith("@example.org") || !unseen.delete(seen))
    throw new Error(`Job ${seen} ran twice or has an unexpected input`);
  if (unseen.size === 0) seenAll();
}

/** Resolves when each of the jobs has run once. */
function allRun(jobs: readonly Input[]): Promise<void> {
  for (const job of jobs) unseen.add(job.number);
  return new Promise((resolve) => (seenAll = resolve));
}

const { open } = (await import(`./contestants/${name}.ts`)) as { readonly open: Open };
const queue: Contestant = await open({ url, engine, works: work === "through" || work === "wait", handle });

const works: Readonly<Record<string, (jobs: number) => Promise<unknown>>> = {
  dispatch: (jobs) =>
    Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let done = 0; done < jobs / 20; done += 1) await queue.dispatch(input());
      }),
    ),
  async dispatchAll(jobs) {
    for (let done = 0; done < jobs; done += 100) await queue.dispatchAll(inputs(100));
  },
  async through(jobs) {
    const all = inputs(jobs);
    const end = allRun(all);
    for (let done = 0; done < jobs; done += 100) await queue.dispatchAll(all.slice(done, done + 100));
    await end;
  },
  async wait(jobs) {
    for (let done = 0; done < jobs; done += 1) {
      const [job] = inputs(1) as [Input];
      const end = allRun([job]);
      await queue.dispatch(job);
      await end;
    }
  },
};

async function measure({ jobs }: Question): Promise<Found> {
  const [before, start] = [process.cpuUsage(), performance.now()];
  await works[work]?.(jobs);
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / jobs, time: ((performance.now() - start) * 1000) / jobs };
}

process.on("message", (question: Question) => {
  void measure(question).then(
    (found) => process.send?.(found),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
