import type { Worker } from "node:cluster";

/** Internal message between Node's `cluster` and a worker about an accepted connection. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

interface ConnectionHandle {
  readonly close: () => void;
}

/**
 * Redistributes the connections that a worker was sent but had not acknowledged when it died.
 *
 * Node waits for the acknowledgement forever, and so would the client. With no other worker, the connection is closed.
 *
 * Relies on undocumented messages between `cluster` and its workers (`newconn`, `ack`). If Node changes them, such
 * connections hang again.
 */
export function redistributeConnections(worker: Worker, hasOtherWorker: () => boolean): void {
  const { process: child } = worker;
  const unacknowledged = new Map<number, ConnectionHandle>();
  const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean;
  child.send = (...args: readonly unknown[]): boolean => {
    const [message, connection] = args as readonly [ClusterMessage | string, ConnectionHandle];
    if (typeof message === "object" && message.act === "newconn" && message.seq !== undefined) {
      unacknowledged.set(message.seq, connection);
    }
    return send(...args);
  };
  child.on("internalMessage", ({ ack }: ClusterMessage) => {
    if (ack !== undefined) unacknowledged.delete(ack);
  });
  // Node emits no "disconnect" if a message was pending on the channel when the process died: listen for "exit" as
  // well.
  const redistribute = (): void => {
    if (worker.isConnected()) return;
    for (const [seq, connection] of unacknowledged) {
      if (hasOtherWorker()) child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: seq, accepted: false });
      else connection.close();
    }
    unacknowledged.clear();
  };
  worker.once("exit", redistribute);
  worker.once("disconnect", redistribute);
}
