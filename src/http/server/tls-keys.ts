import { readFileSync } from "node:fs";
import { messageOf } from "../../core/index.ts";
import { errors } from "../errors.ts";
import type { TlsFiles } from "./host.ts";

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
