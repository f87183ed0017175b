import { Log } from "../../log/index.ts";
import type { Labels } from "./contract.ts";
import { labelText } from "./exposition.ts";

/** How many sets of label values a metric keeps: the limit of OpenTelemetry's SDKs. */
export const mostSeries = 2000;

/** What is kept for a set of label values. */
interface Entry<State> {
  readonly text: string;
  readonly state: State;
}

/** The entries by the value of the first label, then of the second. To write a set as a text would be much slower. */
type Tree<State> = Map<string | number, Tree<State> | Entry<State>>;

const log = Log.source("limmat.metrics");

/** What a metric keeps for each set of label values. */
export class Series<State> {
  readonly #name: string;
  readonly #labels: readonly string[];
  readonly #make: () => State;
  readonly #tree: Tree<State> = new Map();
  readonly #entries = new Map<string, Entry<State>>();
  /** What is kept where there are no labels. */
  readonly #alone: State | undefined;
  #isFull = false;

  constructor(name: string, labels: readonly string[], make: () => State) {
    this.#name = name;
    this.#labels = labels;
    this.#make = make;
    // What has no labels is there from the start: a counter that was never counted is 0, not absent.
    if (labels.length === 0) this.#alone = this.#add("").state;
  }

  /** In the order in which they were first counted, each with the text of its labels. */
  get entries(): Iterable<Entry<State>> {
    return this.#entries.values();
  }

  /** What is kept for these values: of a set that is one too many, what all such share. */
  at(given: Labels<string> = {}): State {
    if (this.#alone !== undefined) return this.#alone;
    let found: Tree<State> | Entry<State> | undefined = this.#tree;
    for (const name of this.#labels) {
      if (found === undefined) break;
      found = (found as Tree<State>).get(given[name] as string | number);
    }
    return found === undefined ? this.#keep(given) : (found as Entry<State>).state;
  }

  #keep(labels: Labels<string>): State {
    const values = this.#labels.map((name) => labels[name] as string | number);
    const text = this.#textOf(values);
    // Several values can be one text: 200 and "200". The first of them is found fast, and the others are not kept.
    const known = this.#entries.get(text);
    if (known !== undefined) return known.state;
    if (this.#entries.size >= mostSeries) return this.#other();
    const entry = this.#add(text);
    const last = values.pop() as string | number;
    let tree = this.#tree;
    for (const value of values) {
      const next = tree.get(value) ?? new Map();
      tree.set(value, next);
      tree = next as Tree<State>;
    }
    tree.set(last, entry);
    return entry.state;
  }

  #other(): State {
    if (!this.#isFull) {
      log.warning(`The metric "${this.#name}" has too many sets of label values: further ones count as "other"`, {
        metric: this.#name,
        limit: mostSeries,
      });
    }
    this.#isFull = true;
    const text = this.#textOf(this.#labels.map(() => "other"));
    return (this.#entries.get(text) ?? this.#add(text)).state;
  }

  #add(text: string): Entry<State> {
    const entry = { text, state: this.#make() };
    this.#entries.set(text, entry);
    return entry;
  }

  /** In the order of the declaration, whatever the order in which they are given. */
  #textOf(values: readonly (string | number)[]): string {
    return labelText(Object.fromEntries(this.#labels.map((name, at) => [name, values[at] as string | number])));
  }
}
