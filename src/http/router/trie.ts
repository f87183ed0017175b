/**
 * A table from paths to values, by segments: static ones first, then a parameter, then a wildcard, tried in this order
 * with a way back. Looking up costs what the path is long, however many paths there are.
 */
export class Trie<T> {
  readonly #root: Node<T> = new Node("");
  readonly #statics = new Map<string, T>();
  /** By length: whether a static path of this length exists. Hashing a path that is none would be for nothing. */
  readonly #staticLengths: boolean[] = [];
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
    for (const segment of pattern.slice(1).split("/")) node = node.extend(segment);
    node.value ??= make();
    if (!/\/[:*]/.test(pattern)) {
      this.#statics.set(pattern, node.value);
      this.#staticLengths[pattern.length] = true;
    }
    return node.value;
  }

  /** What is kept for a path: canonical, as `Request.path` is. */
  find(path: string): T | undefined {
    const fixed = this.#staticLengths[path.length] === true ? this.#statics.get(path) : undefined;
    return fixed ?? (path === "/" ? undefined : this.#walk(this.#root, path, 1, 0));
  }

  #walk(node: Node<T>, path: string, start: number, depth: number): T | undefined {
    if (start > path.length) return node.value;
    const slash = path.indexOf("/", start);
    const end = slash === -1 ? path.length : slash;
    const fixed = node.child(path, start, end);
    if (fixed !== undefined) {
      const found = this.#walk(fixed, path, end + 1, depth);
      if (found !== undefined) return found;
    }
    if (node.parameter !== undefined) {
      this.#captures[depth] = path.slice(start, end);
      const found = this.#walk(node.parameter, path, end + 1, depth + 1);
      if (found !== undefined) return found;
    }
    if (node.wildcard !== undefined) this.#captures[depth] = path.slice(start);
    return node.wildcard?.value;
  }
}

/** Up to so many children are compared one by one, which is faster than to cut out the segment and hash it. */
const fewChildren = 4;

class Node<T> {
  readonly segment: string;
  readonly children: Node<T>[] = [];
  readonly childrenBySegment = new Map<string, Node<T>>();
  parameter: Node<T> | undefined;
  wildcard: Node<T> | undefined;
  value: T | undefined;

  constructor(segment: string) {
    this.segment = segment;
  }

  /** The child for a segment of a pattern, made when it is missing. */
  extend(segment: string): Node<T> {
    if (segment.startsWith(":")) return (this.parameter ??= new Node(""));
    if (segment.startsWith("*")) return (this.wildcard ??= new Node(""));
    let child = this.childrenBySegment.get(segment);
    if (child === undefined) {
      child = new Node(segment);
      this.children.push(child);
      this.childrenBySegment.set(segment, child);
    }
    return child;
  }

  /** The child for the segment of a path that lies between two positions. */
  child(path: string, start: number, end: number): Node<T> | undefined {
    const { children } = this;
    if (children.length > fewChildren) return this.childrenBySegment.get(path.slice(start, end));
    const length = end - start;
    for (let at = 0; at < children.length; at++) {
      const child = children[at] as Node<T>;
      if (child.segment.length === length && path.startsWith(child.segment, start)) return child;
    }
    return undefined;
  }
}
