/** Changes of a file that make no difference to anybody. They are left out of the count. */
export interface Equivalent {
  readonly file: string;
  readonly why: string;
  /** Lines as they were, types taken away, and as they are instead. */
  readonly changes: readonly (readonly [was: string, becomes: string])[];
}

export const equivalents: readonly Equivalent[] = [
  {
    file: "src/web/session/known-sessions.ts",
    why: "What is verified was sent, and what has a content was verified.",
    changes: [
      [
        "if (text === undefined || verified === undefined || content === undefined) return undefined;",
        "if (text === undefined && verified === undefined || content === undefined) return undefined;",
      ],
      [
        "if (text === undefined || verified === undefined || content === undefined) return undefined;",
        "if (text === undefined || verified === undefined && content === undefined) return undefined;",
      ],
    ],
  },
  {
    file: "src/web/session/session-content.ts",
    why: "A function that ends without a value gives undefined.",
    changes: [["return undefined;", ";"]],
  },
  {
    file: "src/web/session/signed-value.ts",
    why: "Both are ASCII, which every encoding writes alike.",
    changes: [
      [
        'return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));',
        'return timingSafeEqual(Buffer.from(a, ""), Buffer.from(b, "latin1"));',
      ],
      [
        'return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));',
        'return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, ""));',
      ],
    ],
  },
  {
    file: "src/web/csrf/token.ts",
    why: "What is written behind the end of a buffer is not kept.",
    changes: [
      [
        "for (let index = 0; index < secretBytes; index++) result[index] = (a[index] ?? 0) ^ (b[index] ?? 0);",
        "for (let index = 0; index <= secretBytes; index++) result[index] = (a[index] ?? 0) ^ (b[index] ?? 0);",
      ],
    ],
  },
  {
    file: "src/web/csrf/token.ts",
    why: "Any name does, as long as nobody else uses it.",
    changes: [['export const secretKey = "csrf";', 'export const secretKey = "";']],
  },
  {
    file: "src/web/cookie.ts",
    why: "A path that begins with a slash is not empty.",
    changes: [["const attribute = /^[\\x20-\\x3a\\x3c-\\x7e]*$/;", "const attribute = /^[\\x20-\\x3a\\x3c-\\x7e]+$/;"]],
  },
  {
    file: "src/web/cookie.ts",
    why: "Nothing stands behind the last part, and an equals sign is no semicolon.",
    changes: [
      ["while (start <= header.length) {", "while (start < header.length) {"],
      ["if (equals !== -1 && equals < end) {", "if (equals !== -1 && equals <= end) {"],
    ],
  },
  {
    file: "src/web/cookie.ts",
    why: "What ends a part is no blank, and a part whose end is before its start is empty.",
    changes: [
      [
        "while (start < end && isBlank(text.charCodeAt(start))) start++;",
        "while (start <= end && isBlank(text.charCodeAt(start))) start++;",
      ],
      [
        "while (end > start && isBlank(text.charCodeAt(end - 1))) end--;",
        "while (end >= start && isBlank(text.charCodeAt(end - 1))) end--;",
      ],
    ],
  },
  {
    file: "src/web/path.ts",
    why: "A short cut: what needs no decoding, or no cutting, comes out of it as it was.",
    changes: [
      ["let needsDecoding = false;", "let needsDecoding = true;"],
      ["else if (code === 0x25) needsDecoding = true;", "else if (true) needsDecoding = true;"],
      ["else if (code === 0x2e && afterSlash) needsDecoding = true;", "else if (true) needsDecoding = true;"],
      [
        "else if (code === 0x2e && afterSlash) needsDecoding = true;",
        "else if (code === 0x2e || afterSlash) needsDecoding = true;",
      ],
      [
        "const raw = end === target.length ? target : target.slice(0, end);",
        "const raw = end === target.length ? target.slice(0, end) : target.slice(0, end);",
      ],
      ["path: needsDecoding ? decodePath(raw) : raw,", "path: needsDecoding ? decodePath(raw) : decodePath(raw) ,"],
      ['if (!text.includes("%")) return text;', "if (false) return text;"],
      ['if (!text.includes("%")) return text;', 'if (!text.includes("")) return text;'],
      ['if (!text.includes("%")) return text;', 'if (!text.includes("%")) ;'],
      ["if (/^[\\w/.!~*'()-]*$/.test(path)) return path;", "if (false) return path;"],
      ["if (/^[\\w/.!~*'()-]*$/.test(path)) return path;", "if (/^[^\\w/.!~*'()-]*$/.test(path)) return path;"],
      ["if (/^[\\w/.!~*'()-]*$/.test(path)) return path;", "if (/^[\\w/.!~*'()-]+$/.test(path)) return path;"],
      ["if (/^[\\w/.!~*'()-]*$/.test(path)) return path;", "if (/^[\\w/.!~*'()-]*$/.test(path)) ;"],
    ],
  },
  {
    file: "src/web/path.ts",
    why: "Behind the last character stands none, and the only path of two characters with a slash at the end is refused.",
    changes: [
      ["for (let at = 0; at < target.length; at++) {", "for (let at = 0; at <= target.length; at++) {"],
      [
        "const end = pathEnd > 1 && target.charCodeAt(pathEnd - 1) === slash ? pathEnd - 1 : pathEnd;",
        "const end = pathEnd > 2 && target.charCodeAt(pathEnd - 1) === slash ? pathEnd - 1 : pathEnd;",
      ],
    ],
  },
];
