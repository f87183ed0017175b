import { readFileSync } from "node:fs";
import { messageOf } from "../../core/index.ts";
import { unlink } from "node:fs/promises";
import { connect } from "node:net";
import { errors } from "../errors.ts";
import type { Address, TlsFiles } from "./host.ts";

/**
 * Binds a server to its address. A stale Unix socket, left by a process that has ended, is removed first.
 *
 * @param bind resolves when the server listens, and rejects with the error of the system
 * @throws E_PORT_TAKEN, E_PORT_FORBIDDEN, E_HOST_UNKNOWN, E_SOCKET_TAKEN, E_SOCKET_FORBIDDEN (reject)
 */
export async function listen(address: Address, bind: () => Promise<void>): Promise<void> {
  const { socketPath } = address;
  try {
    await bind();
  } catch (cause) {
    if (socketPath === undefined || !(await isStaleSocket(socketPath)))
      throw toListenError(cause as NodeJS.ErrnoException, address);
    await unlink(socketPath);
    await bind().catch((secondCause: NodeJS.ErrnoException) => {
      throw toListenError(secondCause, address);
    });
  }
}

function toListenError(cause: NodeJS.ErrnoException, { host, port, socketPath }: Address): Error {
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

/** Returns true if a file is a socket that refuses connections, because its process has ended. */
function isStaleSocket(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once("connect", () => {
      probe.destroy();
      resolve(false);
    });
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
  });
}

/** Contents of the TLS files. */
export interface TlsKeys {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Reads the TLS files.
 *
 * @throws E_TLS if one cannot be read, or if certificate and key do not match
 */
export function readKeys({ certificate, key }: TlsFiles): TlsKeys {
  if (certificate === "" || key === "") throw errors.E_TLS("one of TLS_CERT and TLS_KEY is not set");
  try {
    const keys = { cert: readFileSync(certificate), key: readFileSync(key) };
    process.getBuiltinModule("node:tls").createSecureContext(keys);
    return keys;
  } catch (cause) {
    throw errors.E_TLS(messageOf(cause)).causedBy(cause);
  }
}
