import { connect, Socket } from "node:net";

/** Function that opens the connections of `nodemailer`, its option `getSocket`. */
type Connect = (
  options: object,
  done: (error: Error | null, socketOptions?: { readonly connection: Socket }) => void,
) => void;

/** Maximum size of all replies on a connection, in bytes. A line of a reply has at most 512 (RFC 5321 §4.5.3.1.5). */
const maxReplyBytes = ({ bytesWritten }: Socket): number => 16 * (512 + bytesWritten);

/**
 * Returns a function that connects to a mail server, within `timeoutMs`. A server that sends more than replies, such as blank lines
 * without end, is disconnected: `nodemailer` would keep what it has not processed yet, without a limit. Under TLS there is no
 * limit: the server has proven its name.
 */
export function connector(host: string, port: number, timeoutMs: number): Connect {
  return (_options, done) => {
    const socket = connect({ host, port });
    const onTimeout = (): void => void socket.destroy(new Error(`no connection within ${timeoutMs} ms`));
    socket.setTimeout(timeoutMs).once("timeout", onTimeout).once("error", done);
    socket.push = (chunk: Buffer | null): boolean => {
      if (socket.bytesRead <= maxReplyBytes(socket)) return Socket.prototype.push.call(socket, chunk);
      socket.destroy(new Error("the server sends more than replies"));
      return false;
    };
    socket.once("connect", () => {
      socket.setTimeout(0).off("timeout", onTimeout).off("error", done);
      done(null, { connection: socket });
    });
  };
}
