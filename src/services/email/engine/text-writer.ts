/** Block whose lines begin with a prefix: a list item or a quotation. */
interface Block {
  readonly first: string;
  readonly rest: string;
}

interface Line {
  readonly text: string;
  readonly isPreformatted: boolean;
}

/** Deeper blocks are not indented, which bounds the length of a line. */
const maxIndentations = 20;
/** White space, and characters without width: soft hyphen, joiners, and the padding behind the preview of a mail. */
const blankLine = /^(?:[\s\u00AD\u200B-\u200F\u2060-\u2064]|\u034F)*$/;

/** Writes lines of text: collapses white space between words, and line breaks between blocks. */
export class TextWriter {
  readonly #lines: Line[] = [];
  readonly #blocks: Block[] = [];
  /** Number of blocks that have a line: the markers of the others are not yet written. */
  #begunBlockCount = 0;
  /** Indented blocks of the current line. */
  #lineBlocks: readonly Block[] = [];
  /** Current line, `undefined` before the first text. */
  #line: string | undefined;
  #isPreformatted = false;
  /** Line breaks before the next text. */
  #breaks = 0;
  /** White space before the next text: a space, or a tab for each cell. */
  #gap = "";
  #separatesWords = false;

  /** Writes a text whose white space collapses, except for no-break spaces (CSS Text 3, 4.1.1). */
  write(text: string): void {
    const collapsed = text.replaceAll(/[\t\n\f\r ]+/g, " ");
    if (collapsed.startsWith(" ")) this.#addSpace();
    const content = collapsed.replaceAll(/^ | $/g, "");
    // No-break spaces at the beginning of a line are padding.
    const shown = this.#isAtStart() ? content.replace(/^[\u00A0 ]+/, "") : content;
    if (shown !== "") this.#append(shown, false);
    if (collapsed.endsWith(" ")) this.#addSpace();
  }

  writePreformatted(text: string): void {
    for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
      if (index > 0) this.#breaks += 1;
      if (line !== "") this.#append(line, true);
    }
  }

  /** Begins a new line. Several in succession make one empty line. */
  breakLine(): void {
    this.#breaks = Math.min(this.#breaks + 1, 2);
    this.#gap = "";
  }

  /** Begins or ends a block: the next text is on a new line, and behind an empty line if `count` is 2. */
  breakBlock(count: number): void {
    this.#breaks = Math.min(Math.max(this.#breaks, count), 2);
    this.#gap = "";
  }

  /** Separates two cells of a row by a tab, as `innerText` does (HTML, 3.2.7). `isLeading` keeps it at the start of a line. */
  separateCells(isLeading: boolean): void {
    if (isLeading || !this.#isAtStart()) this.#gap = `${this.#gap === " " ? "" : this.#gap}\t`;
  }

  /** Writes an image or a URL. It is a word: a space separates it from the letters beside it. */
  writeWord(text: string): void {
    if (text === "") return;
    this.#separatesWords = true;
    this.write(text);
    this.#separatesWords = true;
  }

  /** Begins a block whose lines have a prefix, which differs on the first one: the marker of a list item. */
  indent(first: string, rest: string): void {
    this.#blocks.push({ first, rest });
  }

  /** Ends the last block with a prefix. Without content, it shows its marker. */
  unindent(): void {
    const isEmpty = this.#begunBlockCount < this.#blocks.length;
    if (isEmpty && this.#blocks.at(-1)?.first.trim() !== "") this.#beginLine();
    this.#blocks.pop();
    this.#begunBlockCount = Math.min(this.#begunBlockCount, this.#blocks.length);
  }

  /** Returns the lines, without empty ones at both ends, and with one at most between blocks. */
  toString(): string {
    this.#endLine();
    return this.#lines
      .filter(({ text, isPreformatted }, index) => isPreformatted || text !== "" || this.#lines[index - 1]?.text !== "")
      .map(({ text }) => text)
      .join("\n")
      .replaceAll(/^\n+|\n+$/g, "");
  }

  #isAtStart(): boolean {
    return this.#line === undefined || this.#breaks > 0;
  }

  #addSpace(): void {
    if (this.#gap === "") this.#gap = " ";
  }

  #append(text: string, isPreformatted: boolean): void {
    if (this.#isAtStart()) this.#beginLine();
    else if (this.#gap === "" && this.#separatesWords) {
      const isBetweenWords = /[\p{L}\p{N})]$/u.test(this.#line ?? "") && /^[\p{L}\p{N}(]/u.test(text);
      this.#gap = isBetweenWords ? " " : "";
    }
    this.#line += this.#gap + text;
    this.#gap = "";
    this.#separatesWords = false;
    this.#isPreformatted ||= isPreformatted;
  }

  #beginLine(): void {
    this.#endLine();
    const blocks = this.#blocks.slice(0, maxIndentations);
    const common = blocks.filter((block) => this.#lineBlocks.includes(block));
    const emptyLine = common.map(({ rest }) => rest).join("");
    for (let count = 1; count < this.#breaks && this.#lines.length > 0; count += 1) {
      this.#lines.push({ text: emptyLine.trimEnd(), isPreformatted: this.#breaks > 2 });
    }
    const prefixes = [
      ...blocks.slice(0, this.#begunBlockCount).map(({ rest }) => rest),
      ...this.#blocks.slice(this.#begunBlockCount).map(({ first }) => first),
    ];
    this.#line = prefixes.join("");
    this.#begunBlockCount = this.#blocks.length;
    this.#lineBlocks = blocks;
    this.#breaks = 0;
    if (this.#gap === " ") this.#gap = "";
  }

  #endLine(): void {
    if (this.#line === undefined) return;
    const text = this.#isPreformatted ? this.#line : this.#line.trimEnd();
    this.#lines.push({ text: blankLine.test(text) ? "" : text, isPreformatted: this.#isPreformatted });
    this.#line = undefined;
    this.#isPreformatted = false;
  }
}
