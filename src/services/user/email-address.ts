/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
const longest = 254;

/** An address without blanks around it; `undefined` for what is none. Whether it exists only a message to it tells. */
export function parseAddress(text: string): string | undefined {
  const address = text.trim();
  const isAddress =
    address.length <= longest && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(address) && address.isWellFormed();
  return isAddress ? address : undefined;
}

/**
 * What addresses are compared by: the ASCII letters in lower case, all else as it is. Two people can own addresses that
 * some collation takes for one (`mike@`, `mıke@`), and a reset must never reach the other.
 */
export function addressKey(address: string): string {
  return address.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
