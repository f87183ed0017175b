/**
 * A table from paths to values, by segments: static ones first, then a parameter, then a wildcard, tried in this order
 * with a way back. Looking up costs what the path is long, however many paths there are.
 */
export class Trie<T> {
  readonly #root: Node<T> = new Node();
  readonly #statics = new Map<string, T>();
  readonly #captures: string[] = [];

  /** The values of the parameters of the last path that was found, in order. Overwritten by the next look-up. */
  get captures(): readonly string[] {
    return this.#captures;
  }

  /**
   * What is kept for a pattern: what was there already, or what `make` gives. Two patterns that differ only in the
   * names of parameters are one.
   */
  at(pattern: string, make: () => T): T {
    let node = this.#root;
    for (const segment of pattern === "/" ? [] : pattern.slice(1).split("/")) node = node.child(segment);
    node.value ??= make();
    if (!/\/[:*]/.test(pattern)) this.#statics.set(pattern, node.value);
    return node.value;
  }

  /** What is kept for a path: canonical, as `Request.path` is. */
  find(path: string): T | undefined {
    return this.#statics.get(path) ?? (path === "/" ? undefined : this.#walk(this.#root, path, 1, 0));
  }

  #walk(node: Node<T>, path: string, start: number, depth: number): T | undefined {
    if (start > path.length) return node.value;
    const slash = path.indexOf("/", start);
    const end = slash === -1 ? path.length : slash;
    const segment = path.slice(start, end);
    const fixed = node.statics.get(segment);
    if (fixed !== undefined) {
      const found = this.#walk(fixed, path, end + 1, depth);
      if (found !== undefined) return found;
    }
    if (node.parameter !== undefined) {
      this.#captures[depth] = segment;
      const found = this.#walk(node.parameter, path, end + 1, depth + 1);
      if (found !== undefined) return found;
    }
    if (node.wildcard !== undefined) this.#captures[depth] = path.slice(start);
    return node.wildcard?.value;
  }
}

class Node<T> {
  readonly statics = new Map<string, Node<T>>();
  parameter: Node<T> | undefined;
  wildcard: Node<T> | undefined;
  value: T | undefined;

  child(segment: string): Node<T> {
    if (segment.startsWith(":")) return (this.parameter ??= new Node());
    if (segment.startsWith("*")) return (this.wildcard ??= new Node());
    let child = this.statics.get(segment);
    if (child === undefined) this.statics.set(segment, (child = new Node()));
    return child;
  }
}
