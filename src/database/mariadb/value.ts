const largestInt = 2 ** 31 - 2;
const smallestInt = -(2 ** 31);

/** Values as the client takes them. The same array when nothing is to be changed. */
export function bind(values: readonly unknown[]): readonly unknown[] {
  return values.every(isTaken) ? values : values.map(convert);
}

function isTaken(value: unknown): boolean {
  return typeof value === "number" ? !isLargeInt(value) : !(value instanceof Uint8Array);
}

function convert(value: unknown): unknown {
  // The client would send a floating point number, which is no limit and no good key.
  if (typeof value === "number") return isLargeInt(value) ? BigInt(value) : value;
  // It knows bytes only as this.
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

const isLargeInt = (value: number): boolean =>
  (value > largestInt || value < smallestInt) && Number.isSafeInteger(value);
