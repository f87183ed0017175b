// Spellings of Transfer-Encoding that one parser recognises and another does not.

/** Header block with a length and a spelling of a transfer coding. */
export interface Mutation {
  readonly name: string;
  /** Returns complete lines with their line breaks. `length` is the value of Content-Length. */
  readonly fields: (length: number) => string;
}

/** Bytes that neither a token nor a visible value contains: controls, space, DEL, and bytes beyond ASCII. */
const bytes = [...Array(33).keys(), ...Array.from({ length: 129 }, (_, at) => 127 + at)].map((code) =>
  String.fromCharCode(code),
);

/** Positions of a byte in the field and in the lines around it. */
const places: Readonly<Record<string, (byte: string) => string>> = {
  "before the name": (byte) => `${byte}Transfer-Encoding: chunked\r\n`,
  "in the name": (byte) => `Transfer${byte}Encoding: chunked\r\n`,
  "after the name": (byte) => `Transfer-Encoding${byte}: chunked\r\n`,
  "after the colon": (byte) => `Transfer-Encoding:${byte}chunked\r\n`,
  "before the value": (byte) => `Transfer-Encoding: ${byte}chunked\r\n`,
  "in the value": (byte) => `Transfer-Encoding: chun${byte}ked\r\n`,
  "after the value": (byte) => `Transfer-Encoding: chunked${byte}\r\n`,
  "after a blank": (byte) => `Transfer-Encoding: chunked ${byte}\r\n`,
  "between two line ends": (byte) => `X: y\r${byte}\nTransfer-Encoding: chunked\r\n`,
  "before a carriage return": (byte) => `Transfer-Encoding: chunked${byte}\r`,
};

/** Bytes that no value may contain either. Between two fields they must not be read as a line break. */
const breaks = bytes.filter((byte) => byte < "\x20" && byte !== "\t");

/** Bytes that do not change the field: white space around a value, which RFC 9112 §5 removes. */
const spellings: readonly string[] = [
  "chunked",
  " chunked",
  "\tchunked",
  " chunked ",
  " Chunked",
  " CHUNKED",
  " chunked, chunked",
  " chunked,chunked",
  " chunked,",
  " ,chunked",
  " , chunked",
  " chunked;",
  " chunked;q=1",
  " chunked; x=y",
  ' "chunked"',
  " 'chunked'",
  " (chunked)",
  " chunked identity",
  " identity, chunked",
  " chunked, identity",
  " identity",
  " gzip, chunked",
  " chunked, gzip",
  " xchunked",
  " chunkedx",
  " chunke",
  " cow",
  " x chunked",
  " chunked\u00a0",
  " =?utf-8?q?chunked?=",
  " chunk%65d",
  " \\chunked",
  "",
  " ",
];

const doubled: readonly string[] = [
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n",
  "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
  "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
  "Transfer-Encoding: chunked\r\ntransfer-encoding: chunked\r\n",
  "Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n",
  "Transfer-Encoding:\r\n chunked\r\n",
  "Transfer-Encoding:\r\n\tchunked\r\n",
  "Transfer-Encoding: \r\n\r\n chunked\r\n",
  "X: y\r\n Transfer-Encoding: chunked\r\n",
  "X: y\r\n\tTransfer-Encoding: chunked\r\n",
  "Transfer-\r\n Encoding: chunked\r\n",
  "Transfer-Encoding\r\n: chunked\r\n",
  "TrAnSfEr-EnCoDiNg: chunked\r\n",
  "Transfer-Encoding : chunked\r\n",
];

/** All mutations, with the length before and after the coding. Each must be refused. */
export function* mutations(): Generator<Mutation> {
  for (const [place, spell] of Object.entries(places)) {
    for (const byte of bytes) {
      const code = byte.charCodeAt(0).toString(16).padStart(2, "0");
      yield { name: `0x${code} ${place}`, fields: (length) => `Content-Length: ${length}\r\n${spell(byte)}` };
    }
  }
  for (const byte of breaks) {
    const code = byte.charCodeAt(0).toString(16).padStart(2, "0");
    const lines = `X: y${byte}Transfer-Encoding: chunked\r\n`;
    yield { name: `0x${code} instead of a line end`, fields: (length) => `Content-Length: ${length}\r\n${lines}` };
  }
  const whole = [...spellings.map((value) => `Transfer-Encoding:${value}\r\n`), ...doubled];
  for (const lines of whole) {
    yield { name: `${JSON.stringify(lines)} behind`, fields: (length) => `Content-Length: ${length}\r\n${lines}` };
    yield { name: `${JSON.stringify(lines)} before`, fields: (length) => `${lines}Content-Length: ${length}\r\n` };
    yield {
      name: `${JSON.stringify(lines)} between`,
      fields: (length) => `Content-Length: ${length}\r\n${lines}Content-Length: ${length}\r\n`,
    };
  }
}
