import type { Worker } from "node:cluster";

/** What Node's `cluster` and a worker say to each other of a connection. */
interface Parcel {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

interface Connection {
  readonly close: () => void;
}

/**
 * Gives the connections that a worker was handed, and had not taken when it died, to another one. Node waits for the
 * dead worker's word for ever, and so would the client.
 *
 * This speaks Node's own words between `cluster` and its workers, which are not documented: were they to change, such
 * connections would be left without an answer again.
 */
export function handBack(worker: Worker, isAnotherThere: () => boolean): void {
  const { process: child } = worker;
  const handed = new Map<number, Connection>();
  const send = child.send.bind(child) as (...sent: readonly unknown[]) => boolean;
  child.send = (...sent: readonly unknown[]): boolean => {
    const [message, connection] = sent as readonly [Parcel | string, Connection];
    if (typeof message === "object" && message.act === "newconn" && message.seq !== undefined) {
      handed.set(message.seq, connection);
    }
    return send(...sent);
  };
  child.on("internalMessage", ({ ack }: Parcel) => {
    if (ack !== undefined) handed.delete(ack);
  });
  // A channel on which something was under way when the process died is never said to be closed.
  const giveBack = (): void => {
    if (worker.isConnected()) return;
    for (const [seq, connection] of handed) {
      if (isAnotherThere()) child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack: seq, accepted: false });
      else connection.close();
    }
    handed.clear();
  };
  worker.once("exit", giveBack);
  worker.once("disconnect", giveBack);
}
