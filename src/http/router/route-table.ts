import type { Request } from "../message/request.ts";

/** Matched entry of a table, and the values of the path parameters. */
export interface RouteMatch<T> {
  readonly value: T;
  /** Parameter values, in order. The next match overwrites them. */
  readonly captures: readonly string[];
}

const acceptAny = (): boolean => true;

/** Table from hosts and paths to values: one trie for all hosts, and one per host that has its own routes. */
export class RouteTable<T> {
  readonly #allHosts = new PathTrie<T>();
  readonly #hosts = new Map<string, PathTrie<T>>();
  /** Tries of the wildcard hosts (`*.example.com`), the longest suffix first. */
  #wildcardHosts: readonly (readonly [suffix: string, trie: PathTrie<T>])[] = [];

  /** Returns the value of a pattern on a host (`undefined` for all hosts). Inserts the result of `make` if there is none. */
  getOrInsert(host: string | undefined, pattern: string, make: () => T): T {
    return (host === undefined ? this.#allHosts : this.#trieOf(host)).getOrInsert(pattern, make);
  }

  /**
   * Matches the path of a request: first on its exact host, then on wildcard hosts, then on all hosts.
   *
   * @param accepts returns false to go on to the value of the next matching pattern. Default: the first one is accepted.
   */
  match(request: Request, accepts: (value: T) => boolean = acceptAny): RouteMatch<T> | undefined {
    const { path } = request;
    if (this.#hosts.size > 0 || this.#wildcardHosts.length > 0) {
      const name = (request.header("host") ?? "").replace(/\.?(?::\d*)?$/, "").toLowerCase();
      const exact = this.#hosts.get(name);
      const wildcards = this.#wildcardHosts.filter(([suffix]) => name.endsWith(suffix)).map(([, trie]) => trie);
      for (const trie of exact === undefined ? wildcards : [exact, ...wildcards]) {
        const value = trie.match(path, accepts);
        if (value !== undefined) return { value, captures: trie.captures };
      }
    }
    const value = this.#allHosts.match(path, accepts);
    return value === undefined ? undefined : { value, captures: this.#allHosts.captures };
  }

  #trieOf(host: string): PathTrie<T> {
    const suffix = host.startsWith("*.") ? host.slice(1) : undefined;
    const existing =
      suffix === undefined
        ? this.#hosts.get(host)
        : this.#wildcardHosts.find(([candidate]) => candidate === suffix)?.[1];
    if (existing !== undefined) return existing;
    const trie = new PathTrie<T>();
    if (suffix === undefined) this.#hosts.set(host, trie);
    else
      this.#wildcardHosts = [...this.#wildcardHosts, [suffix, trie] as const].sort(([a], [b]) => b.length - a.length);
    return trie;
  }
}

/**
 * Trie of path segments. A static segment is tried first, then a parameter, then a wildcard, with backtracking. The cost of
 * a match depends on the length of the path, not on the number of routes.
 */
class PathTrie<T> {
  readonly #root: TrieNode<T> = new TrieNode("");
  readonly #staticPaths = new Map<string, T>();
  /** True at the lengths of static paths: a path of another length is not hashed. */
  readonly #staticLengths: boolean[] = [];
  readonly #captures: string[] = [];

  /** Parameter values of the last match, in order. The next match overwrites them. */
  get captures(): readonly string[] {
    return this.#captures;
  }

  /** Returns the value of a pattern, or inserts that of `make`. Patterns that differ only in names are equal. */
  getOrInsert(pattern: string, make: () => T): T {
    let node = this.#root;
    for (const segment of pattern.slice(1).split("/")) node = node.getOrInsertChild(segment);
    node.value ??= make();
    if (!/\/[:*]/.test(pattern)) {
      this.#staticPaths.set(pattern, node.value);
      this.#staticLengths[pattern.length] = true;
    }
    return node.value;
  }

  /** Matches a canonical path, as in `Request.path`. */
  match(path: string, accepts: (value: T) => boolean = acceptAny): T | undefined {
    const value = this.#staticLengths[path.length] === true ? this.#staticPaths.get(path) : undefined;
    if (value !== undefined && accepts(value)) return value;
    return path === "/" ? undefined : this.#walk(this.#root, path, 1, 0, accepts);
  }

  #walk(node: TrieNode<T>, path: string, start: number, depth: number, accepts: (value: T) => boolean): T | undefined {
    if (start > path.length) return node.value !== undefined && accepts(node.value) ? node.value : undefined;
    const slash = path.indexOf("/", start);
    const end = slash === -1 ? path.length : slash;
    const child = node.findChild(path, start, end);
    if (child !== undefined) {
      const value = this.#walk(child, path, end + 1, depth, accepts);
      if (value !== undefined) return value;
    }
    if (node.parameter !== undefined) {
      this.#captures[depth] = path.slice(start, end);
      const value = this.#walk(node.parameter, path, end + 1, depth + 1, accepts);
      if (value !== undefined) return value;
    }
    const rest = node.wildcard?.value;
    if (rest === undefined || !accepts(rest)) return undefined;
    this.#captures[depth] = path.slice(start);
    return rest;
  }
}

/** Maximum number of children that are compared one by one. That is faster than slicing the segment out and hashing it. */
const maxComparedChildren = 4;

class TrieNode<T> {
  readonly segment: string;
  readonly children: TrieNode<T>[] = [];
  readonly childrenBySegment = new Map<string, TrieNode<T>>();
  parameter: TrieNode<T> | undefined;
  wildcard: TrieNode<T> | undefined;
  value: T | undefined;

  constructor(segment: string) {
    this.segment = segment;
  }

  /** Returns the child for a segment of a pattern. Inserts one if there is none. */
  getOrInsertChild(segment: string): TrieNode<T> {
    if (segment.startsWith(":")) return (this.parameter ??= new TrieNode(""));
    if (segment.startsWith("*")) return (this.wildcard ??= new TrieNode(""));
    let child = this.childrenBySegment.get(segment);
    if (child === undefined) {
      child = new TrieNode(segment);
      this.children.push(child);
      this.childrenBySegment.set(segment, child);
    }
    return child;
  }

  /** Returns the child for the segment of a path between two positions. */
  findChild(path: string, start: number, end: number): TrieNode<T> | undefined {
    const { children } = this;
    if (children.length > maxComparedChildren) return this.childrenBySegment.get(path.slice(start, end));
    const length = end - start;
    // An index loop, because `for…of` and `find` allocate an iterator or a closure per segment of each request.
    for (let index = 0; index < children.length; index++) {
      const child = children[index] as TrieNode<T>;
      if (child.segment.length === length && path.startsWith(child.segment, start)) return child;
    }
    return undefined;
  }
}
