// Ways to write Transfer-Encoding so that one reader sees it and another does not.

/** A header block with a length and some spelling of a transfer coding. */
export interface Mutation {
  readonly name: string;
  /** Whole lines, each with its end; `length` stands for the value of Content-Length. */
  readonly fields: (length: number) => string;
}

/** Every byte that no token and no visible value has: controls, the blank, DEL, and what is beyond ASCII. */
const bytes = [...Array(33).keys(), ...Array.from({ length: 129 }, (_, at) => 127 + at)].map((code) =>
  String.fromCharCode(code),
);

/** Where a byte can stand in the field, and in the lines around it. */
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

/** Of these, what no value may hold either: between two fields it must not be read as the end of a line. */
const breaks = bytes.filter((byte) => byte < "\x20" && byte !== "\t");

/** Bytes that leave the field as it is: blanks around a value, which RFC 9112 §5 takes away. */
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

/** All of them: with the length before and behind. Each must be refused. */
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
    yield { name: `0x${code} in place of a line end`, fields: (length) => `Content-Length: ${length}\r\n${lines}` };
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
