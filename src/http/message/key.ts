/**
 * Names a value of type `T` that is left on a request or a response by one part of the chain for another.
 *
 * Two keys are never the same, whatever their names.
 */
export class Key<T> {
  /** For people who debug. */
  readonly name: string;
  /** Only for the type checker: what belongs under the key. */
  declare readonly value: T;

  constructor(name: string) {
    this.name = name;
  }
}
