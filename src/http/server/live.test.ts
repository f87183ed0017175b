// What the tests of this folder share: a server on a free port, and a socket that says exactly what it is told. No tests.
import { connect } from "node:net";
import type { Service } from "../../core/index.ts";
import { Configuration } from "../../config/index.ts";
import { Log } from "../../log/index.ts";
import type { HttpDefinition, HttpService } from "../../web/application/service.ts";
import { service } from "../../web/application/service.ts";

/** Whether the tests run on Bun, as bun.test.ts has them do. */
export const isBun: boolean = process.versions["bun"] !== undefined;

/** The options of a test that cannot pass on Bun: what is missing there is in docs/guide/bun.md. */
export const notOnBun = (reason: string): { readonly skip: string | false } => ({ skip: isBun && reason });

/** A server that runs until it is disposed of. */
export interface Live extends AsyncDisposable {
  readonly http: HttpService;
  readonly port: number;
  /** What was logged, one message per line. */
  readonly logged: string[];
  /** Sends bytes as they are, each part in a turn of its own, and gives all that came back until the server closed. */
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
  // A machine that has little time refuses no request, but in the tests that are about that.
  const http = service({ ...definition, limits: { maxEventLoopDelayMs: 0, ...definition.limits } });
  const reset = (): void => {
    Log.reset();
    Configuration.reset();
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

/** A request as it goes over the wire, that closes the connection when it is answered. */
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

/** The status of the first answer in what came back; 0 when there is none. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);
}

/** How many answers came back. */
export function countOf(answers: string): number {
  return answers.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;
}
