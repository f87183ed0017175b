import { median, type Measurement, type Round } from "../harness/measure.ts";
import type { Results } from "../harness/results.ts";
import { number } from "./number.ts";
import { cpuOf, rateOf } from "./ratio.ts";
import { table } from "./table.ts";

/** Figures of a round that tables show, by the heading of the table. */
const readers: Readonly<Record<string, (round: Round) => number>> = {
  "CPU µs": cpuOf,
  "requests/s": rateOf,
  "p99 ms": ({ p99 }) => p99 / 1000,
  "memory MB": ({ rss }) => rss / 1e6,
};

/** Returns a table of each figure: a row per contestant, Node before Bun, and a column per benchmark. */
export function figureTables(
  results: Results,
  works: readonly string[],
  figures: readonly string[],
): readonly string[] {
  const measured = results.measurements.filter(({ work, rounds }) => works.includes(work) && rounds.length > 0);
  const rows = Map.groupBy(
    measured.toSorted((a, b) => Number(a.host === "bun") - Number(b.host === "bun")),
    label,
  );
  const cell = (found: Measurement | undefined, figure: string): string =>
    found === undefined ? "–" : number(median(found.rounds.map((round) => readers[figure]?.(round) ?? NaN)));
  return figures.flatMap((figure) =>
    table(
      [figure, ...works],
      [...rows].map(([name, items]) => [
        name,
        ...works.map((work) =>
          cell(
            items.find((item) => item.work === work),
            figure,
          ),
        ),
      ]),
    ),
  );
}

/** Returns the name of a contestant in tables. */
export function label({ contestant, host }: Pick<Measurement, "contestant" | "host">): string {
  return host === "bun" && !contestant.startsWith("Bun.serve") ? `${contestant} (Bun)` : contestant;
}
