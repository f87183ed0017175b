import { Log } from "../../../log/index.ts";
import type { Labels } from "../contract.ts";
import { formatLabels } from "./exposition.ts";

/** Maximum number of series of a metric: the limit of the OpenTelemetry SDKs. */
export const maxSeries = 2000;

/** State of one series. */
interface SeriesEntry<State> {
  /** Labels of the series, formatted. */
  readonly labels: string;
  readonly state: State;
}

/** Entries by the value of the first label, then of the second, and so on. Formatting the labels as a key is much slower. */
type SeriesTree<State> = Map<string | number, SeriesTree<State> | SeriesEntry<State>>;

const log = Log.source("limmat.metrics");

/** States of a metric, one for each set of label values. */
export class Series<State> {
  readonly #name: string;
  readonly #labelNames: readonly string[];
  readonly #makeState: () => State;
  readonly #tree: SeriesTree<State> = new Map();
  readonly #entries = new Map<string, SeriesEntry<State>>();
  /** State of a metric without labels. */
  readonly #unlabelledState: State | undefined;
  #isFull = false;

  constructor(name: string, labelNames: readonly string[], makeState: () => State) {
    this.#name = name;
    this.#labelNames = labelNames;
    this.#makeState = makeState;
    // A metric without labels exists from the start: a counter that was never increased is 0, not absent.
    if (labelNames.length === 0) this.#unlabelledState = this.#add("").state;
  }

  /** All series, in the order of their first use. */
  get entries(): Iterable<SeriesEntry<State>> {
    return this.#entries.values();
  }

  /** Returns the state for a set of label values. Over the limit, all further sets share one state. */
  stateOf(labels: Labels<string> = {}): State {
    if (this.#unlabelledState !== undefined) return this.#unlabelledState;
    let node: SeriesTree<State> | SeriesEntry<State> | undefined = this.#tree;
    for (const name of this.#labelNames) {
      if (!(node instanceof Map)) break;
      node = node.get(labels[name] ?? "");
    }
    return node === undefined || node instanceof Map ? this.#addSeries(labels) : node.state;
  }

  #addSeries(labels: Labels<string>): State {
    const values = this.#labelNames.map((name) => labels[name] ?? "");
    const labelText = this.#formatValues(values);
    // 200 and "200" have the same text. Only the first of them is stored in the tree.
    const entryOfSameText = this.#entries.get(labelText);
    if (entryOfSameText !== undefined) return entryOfSameText.state;
    if (this.#entries.size >= maxSeries) return this.#overflowState();
    const entry = this.#add(labelText);
    let tree = this.#tree;
    for (const value of values.slice(0, -1)) {
      const node = tree.get(value);
      const subtree: SeriesTree<State> = node instanceof Map ? node : new Map();
      tree.set(value, subtree);
      tree = subtree;
    }
    tree.set(values.at(-1) ?? "", entry);
    return entry.state;
  }

  #overflowState(): State {
    if (!this.#isFull) {
      log.warning(`The metric "${this.#name}" has too many sets of label values; further ones are counted as "other"`, {
        metric: this.#name,
        limit: maxSeries,
      });
    }
    this.#isFull = true;
    const labelText = this.#formatValues(this.#labelNames.map(() => "other"));
    return (this.#entries.get(labelText) ?? this.#add(labelText)).state;
  }

  #add(labels: string): SeriesEntry<State> {
    const entry = { labels, state: this.#makeState() };
    this.#entries.set(labels, entry);
    return entry;
  }

  /** Formats label values in the order of the declaration. */
  #formatValues(values: readonly (string | number)[]): string {
    return formatLabels(Object.fromEntries(this.#labelNames.map((name, index) => [name, values[index] ?? ""])));
  }
}
