import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { tlsFiles } from "../work/data.mjs";

/** Creates a certificate for TLS on the loopback interface with `openssl`, unless there is one. ECDSA on P-256. */
export function provideCertificate(): void {
  if (existsSync(tlsFiles.cert)) return;
  mkdirSync(dirname(tlsFiles.key), { recursive: true });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", tlsFiles.key];
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"];
  const args = ["req", "-x509", "-days", "3650", ...key, ...name, "-out", tlsFiles.cert];
  execFileSync("openssl", args, { stdio: "ignore" });
}
