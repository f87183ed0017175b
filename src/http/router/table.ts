import type { Request } from "../message/request.ts";
import { Trie } from "./trie.ts";

/** What stands at a path, and the values of the path's parameters. */
export interface Found<T> {
  readonly value: T;
  /** In order. Overwritten by the next look-up. */
  readonly captures: readonly string[];
}

/** Tables of paths: one for all hosts, and one for each host that has routes of its own. */
export class Table<T> {
  readonly #everywhere = new Trie<T>();
  readonly #hosts = new Map<string, Trie<T>>();
  /** Those that begin with `*`, the longest first. */
  #wildcards: readonly (readonly [suffix: string, trie: Trie<T>])[] = [];

  /** What is kept for a pattern on a host, `undefined` for all: what was there already, or what `make` gives. */
  at(host: string | undefined, pattern: string, make: () => T): T {
    return (host === undefined ? this.#everywhere : this.#trieOf(host)).at(pattern, make);
  }

  /** What stands at the path of a request: on its very host, else on a wildcard host, else on all hosts. */
  find(request: Request): Found<T> | undefined {
    const { path } = request;
    if (this.#hosts.size > 0 || this.#wildcards.length > 0) {
      const name = (request.header("host") ?? "").replace(/\.?(?::\d*)?$/, "").toLowerCase();
      const own = this.#hosts.get(name);
      const tries = this.#wildcards.filter(([suffix]) => name.endsWith(suffix)).map(([, trie]) => trie);
      for (const trie of own === undefined ? tries : [own, ...tries]) {
        const value = trie.find(path);
        if (value !== undefined) return { value, captures: trie.captures };
      }
    }
    const value = this.#everywhere.find(path);
    return value === undefined ? undefined : { value, captures: this.#everywhere.captures };
  }

  #trieOf(host: string): Trie<T> {
    const suffix = host.startsWith("*.") ? host.slice(1) : undefined;
    const known = suffix === undefined ? this.#hosts.get(host) : this.#wildcards.find(([own]) => own === suffix)?.[1];
    if (known !== undefined) return known;
    const trie = new Trie<T>();
    if (suffix === undefined) this.#hosts.set(host, trie);
    else this.#wildcards = [...this.#wildcards, [suffix, trie] as const].sort(([a], [b]) => b.length - a.length);
    return trie;
  }
}
