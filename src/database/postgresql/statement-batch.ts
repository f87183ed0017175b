/** Stream that a batch is written to. */
interface BatchStream {
  readonly writable: boolean;
  write(bytes: Uint8Array): unknown;
}

// Size of the memory of a batch. Statements with larger values get memory of their own.
const batchMemoryBytes = 8192;

/** Execute of the unnamed portal without a row limit, and Sync. */
const executeAndSync: readonly number[] = [0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4];

/**
 * Runs of prepared statements that are sent in one write: Bind, Execute and Sync of each (PostgreSQL, "Message Formats").
 *
 * `pg` creates several buffers per statement and gives the socket three of them, each a chunk of its own for `writev`: 0.8 µs
 * of a read of 5.
 */
export class StatementBatch {
  readonly #stream: BatchStream;
  #chunk: Buffer = Buffer.alloc(0);
  /** Bytes before `#start` were sent, those up to `#end` were not. */
  #start = 0;
  #end = 0;

  constructor(stream: BatchStream) {
    this.#stream = stream;
  }

  /** Adds a run of a prepared statement. Results have the text format, and values as well, except for bytes. */
  add(name: string, values: readonly (string | Buffer | null)[]): void {
    this.#reserve(maxSize(name, values));
    const messageStart = this.#end;
    this.#chunk[messageStart] = 0x42;
    this.#end += 5;
    this.#addByte(0); // Unnamed portal.
    this.#addText(name);
    this.#addByte(0);
    this.#addInt16(values.length);
    for (const value of values) this.#addInt16(value instanceof Uint8Array ? 1 : 0);
    this.#addInt16(values.length);
    for (const value of values) this.#addValue(value);
    this.#addInt16(1);
    this.#addInt16(0);
    this.#chunk.writeInt32BE(this.#end - messageStart - 1, messageStart + 1);
    for (const byte of executeAndSync) this.#addByte(byte);
  }

  /** Sends the runs that were added. */
  flush(): void {
    if (this.#start === this.#end) return;
    const bytes = this.#chunk.subarray(this.#start, this.#end);
    this.#start = this.#end;
    if (this.#stream.writable) this.#stream.write(bytes);
  }

  /** Makes room. Memory that was sent is never written again, because the socket may still read it. */
  #reserve(size: number): void {
    if (this.#end + size <= this.#chunk.length) return;
    this.flush();
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(size, batchMemoryBytes));
    this.#start = 0;
    this.#end = 0;
  }

  #addValue(value: string | Buffer | null): void {
    if (value === null) {
      this.#addInt32(-1);
      return;
    }
    const lengthStart = this.#end;
    this.#end += 4;
    if (typeof value === "string") this.#addText(value);
    else this.#end += value.copy(this.#chunk, this.#end);
    this.#chunk.writeInt32BE(this.#end - lengthStart - 4, lengthStart);
  }

  /** Adds a text as UTF-8. A loop is faster for short texts of ASCII than a call of a native function. */
  #addText(text: string): void {
    const chunk = this.#chunk;
    const start = this.#end;
    if (text.length <= maxLoopLength) {
      let index = 0;
      for (; index < text.length; index++) {
        const code = text.charCodeAt(index);
        if (code > 0x7f) break;
        chunk[start + index] = code;
      }
      if (index === text.length) {
        this.#end = start + index;
        return;
      }
    }
    this.#end = start + chunk.write(text, start);
  }

  #addByte(byte: number): void {
    this.#chunk[this.#end++] = byte;
  }

  #addInt16(value: number): void {
    this.#chunk[this.#end++] = value >>> 8;
    this.#chunk[this.#end++] = value;
  }

  #addInt32(value: number): void {
    this.#end = this.#chunk.writeInt32BE(value, this.#end);
  }
}

const maxLoopLength = 40;

/** Returns a size that the messages of a run do not exceed. A character has at most three bytes per UTF-16 code unit. */
function maxSize(name: string, values: readonly (string | Buffer | null)[]): number {
  let size = 64 + name.length * 3;
  for (const value of values)
    size += 6 + (value === null ? 0 : typeof value === "string" ? value.length * 3 : value.length);
  return size;
}
