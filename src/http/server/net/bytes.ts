// Tables of the bytes that HTTP/1.1 allows in each part of a head: 1 for an allowed byte.

function tableOf(isAllowed: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => Number(isAllowed(byte)));
}

const tokenCharacter = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]$/;

/** Bytes of a token: methods and names of fields (RFC 9110 §5.6.2). */
export const tokenBytes: Uint8Array = tableOf((byte) => tokenCharacter.test(String.fromCharCode(byte)));

/** Bytes of a field value: visible characters, blanks and obs-text (RFC 9110 §5.5). */
export const valueBytes: Uint8Array = tableOf((byte) => byte === 0x09 || (byte >= 0x20 && byte !== 0x7f));

/** Bytes of a request target: visible ASCII characters (RFC 9112 §3.2). `parseTarget` checks the rest. */
export const targetBytes: Uint8Array = tableOf((byte) => byte > 0x20 && byte < 0x7f);

/** Values of the hexadecimal digits; 255 for another byte. */
export const hexDigits: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = Number.parseInt(String.fromCharCode(byte), 16);
  return Number.isNaN(digit) ? 255 : digit;
});

export const htab = 0x09;
export const lf = 0x0a;
export const cr = 0x0d;
export const space = 0x20;
