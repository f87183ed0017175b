import type { Socket } from "node:net";

/** Members of a socket that `onread` of `net.connect` uses. Node has no such option for accepted connections. */
interface ReceivingSocket {
  readonly _handle?: { readonly useUserBuffer?: (buffer: Uint8Array) => void } | null;
  [key: symbol]: unknown;
}

/** Keys of the receive buffer of a socket, and of the callback for received bytes. */
interface ReceiveKeys {
  readonly buffer: symbol;
  readonly callback: symbol;
}

/**
 * Receive buffer that all connections of a server share. Node would allocate 64 KiB for each read, and push it through a
 * stream: a JSON request takes 1.2 times the CPU time then.
 *
 * It uses undocumented members of Node. Without them, `attach` returns false.
 */
export class SharedReceiver {
  readonly #bytes: Buffer = Buffer.allocUnsafeSlow(64 * 1024);
  #keys: ReceiveKeys | undefined;

  /**
   * Makes a socket receive into the buffer.
   *
   * @param onBytes called with the number of bytes that were received, and the buffer that holds them during the call only
   * @returns false if the socket does not have the members
   */
  attach(socket: Socket, onBytes: (size: number, bytes: Buffer) => void): boolean {
    const target = socket as unknown as ReceivingSocket;
    const keys = (this.#keys ??= findKeys(socket));
    if (keys === undefined || typeof target._handle?.useUserBuffer !== "function") return false;
    target[keys.buffer] = this.#bytes;
    target[keys.callback] = onBytes;
    target._handle.useUserBuffer(this.#bytes);
    socket.resume();
    return true;
  }
}

function findKeys(socket: Socket): ReceiveKeys | undefined {
  const keys = Object.getOwnPropertySymbols(socket);
  const buffer = keys.find(({ description }) => description === "kBuffer");
  const callback = keys.find(({ description }) => description === "kBufferCb");
  return buffer === undefined || callback === undefined ? undefined : { buffer, callback };
}
