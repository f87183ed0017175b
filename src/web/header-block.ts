import { checkValue, type FlatHeaders } from "./header.ts";

/**
 * Header fields that are sent together. Those that are the same for many responses are one block, checked and turned
 * into text once.
 */
export class HeaderBlock {
  readonly fields: FlatHeaders;
  #text: string | undefined;
  #isSpecial: boolean | undefined;

  /** @param fields name, value, name, value; names in lower case */
  constructor(fields: FlatHeaders) {
    this.fields = fields;
  }

  /**
   * The lines as HTTP/1.1 sends them, but for the length, which the server writes. Values are looked at once more: a line
   * break in one would split the answer.
   *
   * @throws E_HEADER_INVALID
   */
  get text(): string {
    return (this.#text ??= textOf(this.fields));
  }

  /** Whether it holds a field, beside the length, that the server has a say in: framing, connection, date. */
  get isSpecial(): boolean {
    return (this.#isSpecial ??= this.fields.some((field, at) => at % 2 === 0 && isSpecial(field)));
  }

  /** The block without the fields of these blocks; itself when there are none. */
  without(others: readonly HeaderBlock[]): HeaderBlock {
    const { fields } = this;
    for (let at = 0; at < fields.length; at += 2) {
      if (isIn(others, fields[at] as string)) return new HeaderBlock(lacking(fields, others));
    }
    return this;
  }

  has(name: string): boolean {
    const { fields } = this;
    for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return true;
    return false;
  }
}

/** Whether a block of these has a field of this name, in lower case. */
export function isIn(blocks: readonly HeaderBlock[], name: string): boolean {
  for (const block of blocks) if (block.has(name)) return true;
  return false;
}

const lacking = (fields: FlatHeaders, others: readonly HeaderBlock[]): FlatHeaders =>
  fields.filter((_, at) => !isIn(others, fields[at - (at % 2)] as string));

function textOf(fields: FlatHeaders): string {
  let text = "";
  for (let at = 0; at < fields.length; at += 2) {
    const [name, value] = [fields[at] as string, fields[at + 1] as string];
    checkValue(name, value);
    if (name !== "content-length") text += `${name}: ${value}\r\n`;
  }
  return text;
}

/** Whether a field says how long an answer is, or what becomes of its connection. */
export function isFraming(name: string): boolean {
  switch (name.length) {
    case 7:
      return name === "upgrade";
    case 10:
      return name === "connection" || name === "keep-alive";
    case 14:
      return name === "content-length";
    case 17:
      return name === "transfer-encoding";
    default:
      return false;
  }
}

/** What node:http acts on, but for the length, which is left out of the text. */
const isSpecial = (name: string): boolean =>
  (isFraming(name) && name !== "content-length") || name === "date" || name === "trailer" || name === "expect";
