const maxInt = 2 ** 31 - 2;
const minInt = -(2 ** 31);

/** Converts values to types that the client supports. Returns the same array if no value needs it. */
export function bindValues(values: readonly unknown[]): readonly unknown[] {
  return values.every(isBindable) ? values : values.map(toClientValue);
}

function isBindable(value: unknown): boolean {
  return typeof value === "number" ? !isLargeInt(value) : !(value instanceof Uint8Array);
}

function toClientValue(value: unknown): unknown {
  // The client would send a larger integer as a double, which `limit` refuses and which compares badly with keys.
  if (typeof value === "number") return isLargeInt(value) ? BigInt(value) : value;
  // The client accepts bytes only as a Buffer.
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return value;
}

const isLargeInt = (value: number): boolean => (value > maxInt || value < minInt) && Number.isSafeInteger(value);
