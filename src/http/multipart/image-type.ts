// As hexadecimal digits: two for each byte.
const starts: readonly (readonly [type: string, start: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^474946383[79]61/],
  ["image/webp", /^52494646.{8}57454250/],
  ["image/avif", /^.{8}66747970617669(?:66|73)/],
];

/** Bytes that are enough to know an image. */
export const imageStart = 12;

/** The type of an image by its first bytes, or `undefined`. */
export function imageTypeOf(first: Uint8Array): string | undefined {
  const digits = Buffer.from(first.subarray(0, imageStart)).toString("hex");
  return starts.find(([, start]) => start.test(digits))?.[0];
}
