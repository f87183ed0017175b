// Shared by the tests of this folder: a server on a free port, and a raw socket. It contains no tests.
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import type { Service } from "../../core/index.ts";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { Log, LogInternals } from "../../log/index.ts";
import type { HttpDefinition, HttpService } from "../../web/application/service.ts";
import { service } from "../../web/application/service.ts";
import { type Clock, systemClock } from "../../time/clock.ts";
import { TimeInternals } from "../../time/index.ts";

/** Public key pair for localhost, for tests only. */
export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgcG+xgxlYONcEoGt4
H2rziBQZ7I3ClDJxESiA5SFmJIihRANCAASjjnl54ak7c3UTX7u67NIValVZWgP3
B/Q+snIOc/394ODDt8roccP1Qrt9HBeM9UKuV0zyuSN0cOePbzJ1t7BZ
-----END PRIVATE KEY-----
`;
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUaNwTCpJdX2f3ja5j5LUCNDbC1nQwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA0MjIwMFoYDzIxMjYxMDI4
MDQyMjAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASjjnl54ak7c3UTX7u67NIValVZWgP3B/Q+snIOc/394ODDt8roccP1
Qrt9HBeM9UKuV0zyuSN0cOePbzJ1t7BZo28wbTAdBgNVHQ4EFgQUOLIXZQw4cQUl
hvCK/1f9a8oC6DowHwYDVR0jBBgwFoAUOLIXZQw4cQUlhvCK/1f9a8oC6DowDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAPacS+/+BdNa5zQTMHkS9gudQ3Zuy2EISqXb8csR6PFYAiEA
jgbYxzcgiS+8SKTXZD/tKlzY9xUHVSFrrngpIlLK+Mg=
-----END CERTIFICATE-----
`;

/** Writes the key pair into a folder. Returns the settings of a server with TLS. */
export async function writeKeyPair(folder: string): Promise<readonly (readonly [string, string])[]> {
  const [certificatePath, keyPath] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  await writeFile(certificatePath, certificate);
  await writeFile(keyPath, key);
  return [
    ["TLS_CERT", certificatePath],
    ["TLS_KEY", keyPath],
  ];
}

/** Returns the durations of the timers that are started while a callback runs, in milliseconds. */
export async function timersOf(run: () => Promise<void>): Promise<readonly number[]> {
  const timers: number[] = [];
  const record: Clock["after"] = (ms, ...rest) => {
    timers.push(ms);
    return systemClock.after(ms, ...rest);
  };
  const restore = TimeInternals.useClock({ ...systemClock, after: record });
  try {
    await run();
  } finally {
    restore();
  }
  return timers;
}

/** True if the tests run on Bun, started by test/bun.long.test.ts. */
export const isBun: boolean = process.versions["bun"] !== undefined;

/** Returns the options of a test that cannot pass on Bun. docs/guide/bun.md lists the differences. */
export const notOnBun = (reason: string): { readonly skip: string | false } => ({ skip: isBun && reason });

/** Running server, stopped by its disposal. */
export interface Live extends AsyncDisposable {
  readonly http: HttpService;
  readonly port: number;
  /** Log messages. */
  readonly logged: string[];
  /** Sends bytes unchanged, one part per turn of the event loop. Returns all bytes received until the server closed. */
  readonly talk: (...parts: readonly string[]) => Promise<string>;
}

/** Starts a server on a free port. */
export async function live(
  definition: HttpDefinition,
  settings: readonly (readonly [string, string])[] = [],
  services: readonly Service.Service[] = [],
): Promise<Live> {
  const logged: string[] = [];
  Configuration.store([["PORT", "0"], ["HOST", "127.0.0.1"], ...settings]);
  Log.configure({
    level: "info",
    reporters: [
      {
        report: ({ message, error }) =>
          void logged.push(error instanceof Error ? `${message}: ${error.message}` : message),
      },
    ],
  });
  // On a busy machine no request is shed, except in the tests of load shedding.
  const http = service({ ...definition, limits: { maxEventLoopDelayMs: 0, ...definition.limits } });
  const reset = (): void => {
    LogInternals.reset();
    ConfigurationInternals.reset();
  };
  try {
    await http.start({ services: [...services, http] });
  } catch (error) {
    reset();
    throw error;
  }
  const port = http.address()?.port ?? 0;
  return {
    http,
    port,
    logged,
    talk: (...parts) => talk(port, parts),
    [Symbol.asyncDispose]: async () => {
      await http.stop();
      reset();
    },
  };
}

function talk(port: number, parts: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const rest = [...parts];
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => send());
    const send = (): void => {
      const part = rest.shift();
      if (part !== undefined) socket.write(Buffer.from(part, "latin1"), () => setImmediate(send));
    };
    socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}

/** Formats a request for the wire, with `Connection: close`. */
export function wire(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): string {
  const lines = Object.entries({ host: "localhost", connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

/** Returns the status of the first response; 0 without one. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);
}

/** Returns the number of responses. */
export function countOf(answers: string): number {
  return answers.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;
}
