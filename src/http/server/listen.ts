import { unlink } from "node:fs/promises";
import { connect } from "node:net";
import { errors } from "../errors.ts";
import type { Address } from "./host.ts";

/**
 * Has a server listen. A Unix socket that an earlier run left behind, and on which nobody listens, is removed first.
 *
 * @param begin resolves when the server listens, and rejects with what the system says
 * @throws E_PORT_TAKEN, E_PORT_FORBIDDEN, E_HOST_UNKNOWN, E_SOCKET_TAKEN, E_SOCKET_FORBIDDEN (reject)
 */
export async function listen(address: Address, begin: () => Promise<void>): Promise<void> {
  const { socketPath } = address;
  try {
    await begin();
  } catch (cause) {
    if (socketPath === undefined || !(await isAbandoned(socketPath)))
      throw explained(cause as NodeJS.ErrnoException, address);
    await unlink(socketPath);
    await begin().catch((again: NodeJS.ErrnoException) => {
      throw explained(again, address);
    });
  }
}

function explained(cause: NodeJS.ErrnoException, { host, port, socketPath }: Address): Error {
  switch (cause.code) {
    case "EADDRINUSE":
      return (socketPath === undefined ? errors.E_PORT_TAKEN(host, port) : errors.E_SOCKET_TAKEN(socketPath)).causedBy(
        cause,
      );
    case "EACCES":
      if (socketPath === undefined) return errors.E_PORT_FORBIDDEN(host, port).causedBy(cause);
      return errors.E_SOCKET_FORBIDDEN(socketPath).causedBy(cause);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return errors.E_HOST_UNKNOWN(host).causedBy(cause);
    default:
      return socketPath === undefined ? cause : errors.E_SOCKET_FORBIDDEN(socketPath).causedBy(cause);
  }
}

/** Whether a file is a socket that refuses connections: the process that made it is gone. */
function isAbandoned(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(false);
    });
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
  });
}
