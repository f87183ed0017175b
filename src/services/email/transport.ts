import { Cleaner } from "../../cleaner/index.ts";
import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { isError, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import { readSender } from "./mailbox.ts";
import type { EmailService, Mail, Mailbox } from "./contract.ts";
import { errors } from "./errors.ts";
import { makeInbox } from "./inbox.ts";
import { leaves, sendOutsideProduction } from "./interception.ts";
import { operations } from "./operations.ts";
import { sendTest } from "./send-test.ts";

/** A mail that is ready to leave. */
export type SentMail = Mail & { readonly sender: Mailbox };

/** What carries mails away: a connection to a mail server, or the interface of a provider. */
export interface Transport {
  /**
   * Hands a mail over. Throws E_EMAIL_REFUSED when trying again would be in vain. What it throws that is no error of the
   * framework counts as E_EMAIL_UNAVAILABLE: it can be tried again.
   */
  send(mail: SentMail): Promise<void>;
  /** Says where mails go, such as the server's name, once it has made sure that they would be taken; else throws. */
  verify(): Promise<string>;
  close(): Promise<void> | void;
}

/** What a backend adds. */
export interface EmailDefinition {
  /** The name of the service. Default `email`. */
  readonly name?: string | undefined;
  /** The name of the implementation: `smtp`. */
  readonly implementation: string;
  readonly configuration: readonly ConfigurationField[];
  /** The field with the sender of mails that name none; part of `configuration`. See `senderField`. */
  readonly sender: ConfigurationField<string | undefined>;
  /** Opens the way out. Called at start, where mails leave, and then only: its settings are needed nowhere else. */
  readonly open: () => Promise<Transport> | Transport;
}

/** The field for the sender of mails that name none. */
export function senderField(key: string): ConfigurationField<string | undefined> {
  return Configuration.string(key, {
    description: "who mails are from that name no sender, such as To-dos <todo@example.com>",
    required: ["production"],
    validate: (text) => {
      const read = readSender(text);
      return read.ok ? undefined : `must be an address, alone or behind a name in <>: it ${read.error}`;
    },
  });
}

const log = Log.source("limmat.email");

/**
 * Makes an e-mail service of a backend. For authors of backends: checks, the inbox outside of production, the sender
 * of the configuration and the command `email.send-test` come with it.
 */
export function makeEmail(definition: EmailDefinition): EmailService {
  const { name = "email", implementation, sender, open } = definition;
  const inbox = makeInbox();
  let state: Transport | "keeps" | undefined;
  let unregister: (() => void) | undefined;

  const configuredSender = (): Mailbox | undefined => {
    const text = Configuration.read(sender);
    const read = text === undefined ? undefined : readSender(text);
    return read?.ok === true ? read.value : undefined;
  };

  const deliver = async (mail: Mail): Promise<void> => {
    if (state === undefined) throw errors.E_EMAIL_NOT_STARTED(name);
    const from = mail.sender ?? configuredSender();
    if (state === "keeps") {
      inbox.keep({ ...mail, sender: from });
      log.info(`Kept a mail to ${mail.recipients.map(({ address }) => address).join(", ")}: ${mail.subject}`);
      return;
    }
    if (from === undefined) throw errors.E_EMAIL_SENDER_MISSING(sender.key);
    try {
      await state.send({ ...mail, sender: from });
    } catch (cause) {
      throw isError(cause) ? cause : errors.E_EMAIL_UNAVAILABLE(implementation, cause).causedBy(cause);
    }
  };

  const service: EmailService = {
    ...Service.make({
      name,
      implementation,
      configuration: [...definition.configuration, sendOutsideProduction],
      commands: [sendTest(name, () => service)],
      start: async () => {
        state = leaves(Configuration.environment()) ? await open() : "keeps";
        if (state === "keeps" && !Configuration.isEnvironmentSet()) {
          log.warning("Mails are kept in memory, not sent, because FRAMEWORK_ENV is not set");
        }
        unregister = Cleaner.register(name, () => inbox.clear());
      },
      stop: async () => {
        unregister?.();
        const before = state;
        state = undefined;
        if (typeof before === "object") await before.close();
      },
      check: async () => {
        if (state === undefined || state === "keeps")
          return [{ level: "ok", message: "Mails are kept here, not sent" }];
        return [{ level: "ok", message: `Mails go to ${await state.verify()}` }];
      },
    }),
    ...operations(deliver),
    inbox,
  };
  return service;
}
