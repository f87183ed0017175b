/** Response that a host writes to its connection. */
export interface ResponseWriter {
  /** True for a HEAD request: the same headers, no body. */
  readonly isHead: boolean;
  readonly isHeadSent: boolean;
  /** True if the client has disconnected. */
  readonly isDisconnected: boolean;
  /**
   * Writes status and headers. They may leave together with the first chunk. The server sets all framing headers. It drops
   * framing headers of a handler, except the length of a stream.
   *
   * @param length length of the body in bytes; `undefined` if it is not known, or if there is no body
   * @throws E_HEADER_INVALID
   */
  writeHead(length: number | undefined): void;
  /** Writes a chunk of the body. Returns false if the next one should wait for `drained`. */
  write(chunk: Uint8Array): boolean;
  /**
   * Ends the response, with a last chunk.
   *
   * @param size length of the chunk in bytes
   */
  end(chunk?: string | Uint8Array, size?: number): void;
  /** Waits until the client has read what was written, or has disconnected. */
  drained(): Promise<void>;
  /** Calls back once, when the response is sent or the client has disconnected. Returns a function that removes the callback. */
  onClose(callback: () => void): () => void;
  /** Aborts a response that cannot be completed. */
  abort(): void;
}
