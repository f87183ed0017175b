import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** Server that a client connects to, on the loopback interface. */
export interface Target {
  readonly port: number;
  /** True for TLS. The certificate is not checked. */
  readonly isSecure?: boolean;
}

/** Opens a connection. */
export function connect({ port, isSecure = false }: Target): Socket {
  const address = { port, host: "127.0.0.1", noDelay: true };
  return isSecure
    ? connectTls({ ...address, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] })
    : connectPlain(address);
}

const headEnd = Buffer.from("\r\n\r\n");
const chunksEnd = Buffer.from("0\r\n\r\n");
const nothing = Buffer.alloc(0);

/**
 * Client connection with one request at a time. Reads only status and length of a response: the client must cost less than
 * any server. Opens another connection when the server closes this one.
 */
export class ClientConnection {
  readonly #target: Target;
  readonly #onResponse: (status: number) => void;
  #socket: Socket | undefined;
  #status = 0;
  #isBusy = false;
  #isClosing = false;
  #head: Buffer | undefined;
  // Missing bytes of the body; -1 before the head, -2 for a chunked body.
  #remaining = -1;
  #tail: Buffer = nothing;

  /** @param onResponse receives the status of each response, and 0 for a lost connection */
  constructor(target: Target, onResponse: (status: number) => void) {
    this.#target = target;
    this.#onResponse = onResponse;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  send(bytes: Buffer): void {
    this.#isBusy = true;
    this.#socket ??= this.#open();
    this.#socket.write(bytes);
  }

  /** Closes the connection. The next request opens another one. */
  close(): void {
    this.#socket?.removeAllListeners("close").destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    const socket = connect(this.#target);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#socket = undefined;
      if (this.#isBusy) this.#finish(0);
    });
    return socket;
  }

  #finish(status: number): void {
    this.#isBusy = false;
    this.#remaining = -1;
    this.#head = undefined;
    this.#tail = nothing;
    if (status === 0 || this.#isClosing) this.close();
    this.#isClosing = false;
    this.#onResponse(status);
  }

  #receive(chunk: Buffer): void {
    if (this.#remaining === -1) {
      const bytes = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk]);
      const end = bytes.indexOf(headEnd);
      if (end === -1) {
        this.#head = bytes;
        return;
      }
      this.#readHead(bytes.toString("latin1", 0, end));
      this.#readBody(bytes.subarray(end + 4));
    } else this.#readBody(chunk);
  }

  #readHead(text: string): void {
    this.#head = undefined;
    this.#status = Number(text.slice(9, 12));
    this.#isClosing = /\r\nconnection: *close/i.test(text);
    const length = /\r\ncontent-length: *(\d+)/i.exec(text);
    if (this.#status === 304 || this.#status === 204) this.#remaining = 0;
    else this.#remaining = length === null ? -2 : Number(length[1]);
  }

  #readBody(body: Buffer): void {
    if (this.#remaining === -2) {
      // Requests are not pipelined, so the received bytes end with the last chunk of the body.
      this.#tail = body.length >= 5 ? body.subarray(-5) : Buffer.concat([this.#tail, body]).subarray(-5);
      if (this.#tail.equals(chunksEnd)) this.#finish(this.#status);
      return;
    }
    this.#remaining -= body.length;
    if (this.#remaining <= 0) this.#finish(this.#status);
  }
}
