// Fixtures of the e-mail tests: an isolated configuration and mail servers. Contains no tests.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach } from "node:test";
import PostalMime, { type Address, type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { Configuration, ConfigurationInternals } from "../../config/index.ts";
import { Log, LogInternals } from "../../log/index.ts";
import type { EmailMessage } from "./contract.ts";

/** Isolates the configuration and the log of every test of a file. */
export function isolate(pairs: Readonly<Record<string, string>> = {}): { readonly entries: Log.Entry[] } {
  const entries: Log.Entry[] = [];
  beforeEach(() => {
    entries.length = 0;
    ConfigurationInternals.reset();
    Configuration.store(Object.entries({ FRAMEWORK_ENV: "test", ...pairs }));
    Log.configure({ level: "debug", reporters: [{ report: (entry) => void entries.push(entry) }] });
  });
  afterEach(() => {
    ConfigurationInternals.reset();
    LogInternals.reset();
  });
  return { entries };
}

/** Returns a message with the required fields and overrides. */
export const message = (more: Partial<EmailMessage> = {}): EmailMessage => ({
  sender: "todo@example.com",
  recipient: "ada@example.com",
  subject: "Hello",
  text: "A text",
  ...more,
});

/** A mail that a server accepted. */
export interface Taken {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

/** A mail server that accepts all mails. */
export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly Taken[];
}

/** Starts a mail server. By default it requires neither password nor encryption. */
export async function mailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: Taken[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ["STARTTLS"] : [],
    onData: (stream, { envelope }, done) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(parts).toString() });
        done();
      });
    },
    ...options,
  });
  // Some tests make clients disconnect.
  server.on("error", () => {});
  const listening = server.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo;
  return {
    port,
    mails,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** Parses a mail like a mail client. */
export const parse = (raw: string): Promise<Email> => PostalMime.parse(raw);

/** Returns the name and address that a mail client shows. */
export const shown = (address: Address | undefined): readonly [string, string | undefined] | undefined =>
  address === undefined ? undefined : [address.name, address.address];

/**
 * Returns the reply of a scripted server to a command, to the end of a mail (`.`) or to a connection (``): a text, nothing
 * (`silence`), one byte every 20 ms (`trickle`), blank lines without end (`blank`), or a disconnect (`drop`). `undefined` means the
 * default reply.
 */
export type Script = (command: string) => string | undefined;

/** A server that follows a script and records every line it receives, in order. */
export interface ScriptedServer extends AsyncDisposable {
  readonly port: number;
  readonly lines: string[];
  /** Returns the number of connections so far. */
  readonly connections: () => number;
}

const usual: Readonly<Record<string, string>> = { DATA: "354 go on", QUIT: "221 bye" };

/** Starts a server that follows a script. */
export async function scriptedServer(script: Script = () => undefined): Promise<ScriptedServer> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    let isData = false;
    let rest = "";
    const reply = (command: string): void => {
      const word = command.split(/[ :]/, 1)[0]?.toUpperCase() ?? "";
      const scripted = script(command) ?? usual[word] ?? (command === "" ? "220 here" : "250 ok");
      if (scripted === "drop") socket.destroy();
      else if (scripted === "trickle") trickle(socket);
      else if (scripted === "blank") sendBlankLines(socket);
      else if (scripted !== "silence") {
        socket.write(`${scripted}\r\n`);
        isData = scripted.startsWith("354");
        if (word === "QUIT") socket.end();
      }
    };
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (bytes) => {
      const parts = (rest + bytes.toString("latin1")).split("\r\n");
      rest = parts.pop() ?? "";
      for (const line of parts) {
        lines.push(line);
        if (!isData) reply(line);
        else if (line === ".") {
          isData = false;
          reply(".");
        }
      }
    });
    reply("");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    connections: () => count,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function sendBlankLines(socket: Socket): void {
  const lines = Buffer.alloc(16_384, "\n");
  const send = (): void => void (!socket.destroyed && socket.write(lines, () => setImmediate(send)));
  send();
}

function trickle(socket: Socket): void {
  socket.write("250-");
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write("x")), 20);
}
