// What the tests of this room share: a configuration of their own, mail servers, and mails that they took. It holds no tests.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach } from "node:test";
import PostalMime, { type Address, type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { Cleaner } from "../../cleaner/index.ts";
import { Configuration } from "../../config/index.ts";
import { Log } from "../../log/index.ts";
import type { EmailMessage } from "./contract.ts";

/** Gives every test of a file a configuration and a log of its own. */
export function isolate(pairs: Readonly<Record<string, string>> = {}): { readonly entries: Log.Entry[] } {
  const entries: Log.Entry[] = [];
  beforeEach(() => {
    entries.length = 0;
    Configuration.reset();
    Cleaner.reset();
    Configuration.store(Object.entries({ FRAMEWORK_ENV: "test", ...pairs }));
    Log.configure({ level: "debug", reporters: [{ report: (entry) => void entries.push(entry) }] });
  });
  afterEach(() => {
    Configuration.reset();
    Log.reset();
  });
  return { entries };
}

/** A message with what must be there, and more. */
export const message = (more: Partial<EmailMessage> = {}): EmailMessage => ({
  sender: "todo@example.com",
  recipient: "ada@example.com",
  subject: "Hello",
  text: "A text",
  ...more,
});

/** A mail that a server took. */
export interface Taken {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

/** A mail server that takes all mails. */
export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly Taken[];
}

/** Starts a mail server; without other options it asks for no password and no encryption. */
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
  // Clients that hang up are what some tests are about.
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

/** Reads a mail as a mail program would. */
export const parse = (raw: string): Promise<Email> => PostalMime.parse(raw);

/** Name and address of what a mail program shows. */
export const shown = (address: Address | undefined): readonly [string, string | undefined] | undefined =>
  address === undefined ? undefined : [address.name, address.address];

/**
 * What a scripted server does with a command, with the end of a mail (`.`) and with a connection (``): says something else, nothing
 * at all (`silence`), one sign every 20 ms (`trickle`), or hangs up (`drop`). `undefined` is the usual answer.
 */
export type Script = (command: string) => string | undefined;

/** A server that follows a script and writes down every line that it was sent, in the order of their coming. */
export interface ScriptedServer extends AsyncDisposable {
  readonly port: number;
  readonly lines: string[];
  /** How many connections there were. */
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
    const answer = (command: string): void => {
      const word = command.split(/[ :]/, 1)[0]?.toUpperCase() ?? "";
      const said = script(command) ?? usual[word] ?? (command === "" ? "220 here" : "250 ok");
      if (said === "drop") socket.destroy();
      else if (said === "trickle") trickle(socket);
      else if (said !== "silence") {
        socket.write(`${said}\r\n`);
        isData = said.startsWith("354");
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
        if (!isData) answer(line);
        else if (line === ".") {
          isData = false;
          answer(".");
        }
      }
    });
    answer("");
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

function trickle(socket: Socket): void {
  socket.write("250-");
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write("x")), 20);
}
