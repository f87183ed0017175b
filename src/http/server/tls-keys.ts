import { readFileSync } from "node:fs";

import { errors } from "../errors.ts";
import type { TlsFiles } from "./host.ts";

/** What the files of TLS hold. */
export interface TlsKeys {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Reads the files of TLS.
 *
 * @throws E_TLS when one cannot be read, or certificate and key do not belong together.
 */
export function readKeys({ certificate, key }: TlsFiles): TlsKeys {
  if (certificate === "" || key === "") throw errors.E_TLS("one of TLS_CERT and TLS_KEY is not set");
  try {
    const keys = { cert: readFileSync(certificate), key: readFileSync(key) };
    process.getBuiltinModule("node:tls").createSecureContext(keys);
    return keys;
  } catch (cause) {
    throw errors.E_TLS(cause instanceof Error ? cause.message : String(cause)).causedBy(cause);
  }
}
