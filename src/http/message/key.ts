/**
 * Key of a value of type `T` that one middleware or handler attaches to a request or a response for another.
 *
 * Two keys are never equal, even with the same name.
 */
export class Key<T> {
  /** Name for debugging. */
  readonly name: string;
  /** Type of the value, for the type checker only. */
  declare readonly value: T;

  constructor(name: string) {
    this.name = name;
  }
}
