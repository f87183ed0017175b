import type { Http2SecureServer, SecureServerOptions } from "node:http2";
import type { TlsFiles } from "../host.ts";
import type { Limits } from "../limits.ts";
import { readKeys } from "../tls-keys.ts";
import { http2 } from "./builtin.ts";

/**
 * Makes a server of https. Clients choose between HTTP/2 and HTTP/1.1 when they connect (ALPN, RFC 7301).
 *
 * @throws E_TLS when a file cannot be read, or certificate and key do not belong together.
 */
export function makeSecureServer(files: TlsFiles, limits: Limits, http1: object): Http2SecureServer {
  const keys = readKeys(files);
  return http2().createSecureServer({
    ...keys,
    ...http1,
    allowHTTP1: true,
    settings: { maxHeaderListSize: limits.maxHeaderBytes, maxConcurrentStreams: 100 },
    maxHeaderListPairs: limits.maxHeaders,
    // Streams that a client opens only to cancel them cost us more than it (CVE-2023-44487).
    streamResetBurst: 200,
    streamResetRate: 20,
  } satisfies SecureServerOptions);
}
