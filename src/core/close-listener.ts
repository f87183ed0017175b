import { connect, isIPv6, type Socket } from "node:net";

/** Listening handle of Node, as far as it is used here. `listen` and `getpeername` are undocumented. */
export interface ListenerHandle {
  /** Sets the number of connections that the system accepts ahead. Calling it again changes the number. */
  readonly listen?: (backlog: number) => number;
}

/** Address of a listening TCP socket. */
export interface ListenerAddress {
  readonly address: string;
  readonly port: number;
}

const timeoutMs = 1000;

/**
 * Closes a listening socket without resetting the connections that the system has accepted ahead.
 *
 * A closed socket resets them, and there is no call that stops accepting before. So the backlog is set to 0: Linux then
 * accepts one connection ahead, and answers no further ones while that one waits. A connection of this process takes its
 * place, and the socket is closed before the next turn of the event loop would accept it.
 *
 * A connection whose handshake is not complete when the socket is closed is reset nevertheless: its client may have sent a
 * request, within one round trip of the close.
 *
 * @param close closes the socket synchronously
 */
export async function closeListener(
  handle: ListenerHandle | null | undefined,
  { address, port }: ListenerAddress,
  close: () => void,
): Promise<void> {
  const host = address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
  if (handle?.listen?.(0) !== 0) return close();
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    // Accepts a connection that waits.
    await nextTurn();
    const probe = connect({ host, port, family: isIPv6(host) ? 6 : 4 });
    probe.on("error", () => {});
    // Node connects in the next tick.
    await nextTick();
    const isLast = isEstablished(probe) || performance.now() > endMs;
    if (isLast) close();
    probe.destroy();
    if (isLast) return;
  }
}

/** True as soon as the system has established a connection. `connect` follows in a later turn. */
function isEstablished(socket: Socket): boolean {
  const { _handle: handle } = socket as { readonly _handle?: { getpeername?: (out: object) => number } | null };
  return handle?.getpeername?.({}) === 0;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const nextTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
