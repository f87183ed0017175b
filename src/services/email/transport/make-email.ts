import { join } from "node:path";
import { Cleaner } from "../../../cleaner/index.ts";
import { Configuration, ConfigurationInternals, type ConfigurationField } from "../../../config/index.ts";
import { background, type Environment, isError, Service } from "../../../core/index.ts";
import { Log } from "../../../log/index.ts";
import { sendTestCommand } from "../commands.ts";
import type { EmailService, Mail, Mailbox } from "../contract.ts";
import { type MailStore, mailsInFile, makeInbox } from "../engine/inbox.ts";
import { parseSender } from "../engine/headers.ts";
import { errors } from "../errors.ts";
import { sendOperations } from "../operations.ts";
import type { Transport } from "./contract.ts";

/** Definition of an e-mail service by its backend. */
export interface EmailDefinition {
  /** Name of the service. Default `email`. */
  readonly name?: string | undefined;
  /** Name of the implementation, such as `smtp`. */
  readonly implementation: string;
  readonly configuration: readonly ConfigurationField[];
  /** Field with the default sender. It must be part of `configuration`. See `senderField`. */
  readonly sender: ConfigurationField<string | undefined>;
  /** Opens the transport. Called at start, and only if mails are sent: nothing else requires its settings. */
  readonly open: () => Promise<Transport> | Transport;
}

/** Returns a configuration field for the default sender. */
export function senderField(key: string): ConfigurationField<string | undefined> {
  return Configuration.string(key, {
    description: "default sender, such as To-dos <todo@example.com>",
    required: ["production"],
    validate: (text) => {
      const sender = parseSender(text);
      return sender.ok ? undefined : `must be an address, alone or after a name in <>: it ${sender.error}`;
    },
  });
}

const log = Log.source("limmat.email");

/**
 * Makes an e-mail service on a transport. For authors of backends. Includes message checks, the inbox outside of
 * production, the default sender and the command `email.send-test`.
 */
export function makeEmail(definition: EmailDefinition): EmailService {
  const { name = "email", implementation, sender, open } = definition;
  const inbox = makeInbox();
  let state: Transport | "capturing" | undefined;

  const defaultSender = (): Mailbox | undefined => {
    const parsed = parseSender(Configuration.read(sender) ?? "");
    return parsed.ok ? parsed.value : undefined;
  };

  const deliver = async (mail: Mail): Promise<void> => {
    if (state === undefined) throw errors.E_EMAIL_NOT_STARTED(service);
    const from = mail.sender ?? defaultSender();
    if (state === "capturing") {
      inbox.add({ ...mail, sender: from });
      log.info(`Captured a mail to ${mail.recipients.map(({ address }) => address).join(", ")}: ${mail.subject}`);
      return;
    }
    if (from === undefined) throw errors.E_EMAIL_SENDER_MISSING(sender.key);
    try {
      await state.send({ ...mail, sender: from });
    } catch (cause) {
      throw isError(cause) ? cause : errors.E_EMAIL_UNAVAILABLE(implementation, cause).causedBy(cause);
    }
  };

  const close = async (): Promise<void> => {
    const stoppedState = state;
    state = undefined;
    if (typeof stoppedState === "object") await stoppedState.close();
  };

  const service: EmailService = {
    ...Service.make({
      name,
      implementation,
      configuration: [...definition.configuration, sendOutsideProductionField],
      commands: [sendTestCommand(name, () => service)],
      ...background(async () => {
        state = shouldSend(Configuration.environment()) ? await open() : "capturing";
        const store = state === "capturing" ? developmentStore(name) : undefined;
        inbox.storeIn(store);
        if (state === "capturing" && !ConfigurationInternals.isEnvironmentSet()) {
          log.warning(
            "Mails are captured in memory, not sent, because FRAMEWORK_ENV is not set. With FRAMEWORK_ENV=development, the inbox of the development server shows them",
          );
        }
        return [Cleaner.register(name, () => inbox.clear(), { isInMemory: store === undefined }), close];
      }),
      check: async () => {
        if (state === undefined || state === "capturing")
          return [{ level: "ok", message: "Mails are captured, not sent" }];
        return [{ level: "ok", message: `Mails are sent to ${await state.verify()}` }];
      },
    }),
    ...sendOperations(deliver),
    inbox,
  };
  return service;
}

const sendOutsideProductionField: ConfigurationField<boolean> = Configuration.bool("EMAIL_SEND_OUTSIDE_PRODUCTION", {
  description: "sends mails in development and tests, too, instead of capturing them in an inbox",
  default: false,
});

/** Returns the store that keeps captured mails over restarts of the development server. Tests have none. */
function developmentStore(name: string): MailStore | undefined {
  if (!ConfigurationInternals.isEnvironmentSet() || Configuration.environment() !== "development") return undefined;
  return mailsInFile(join(ConfigurationInternals.root(), "tmp", `${encodeURIComponent(name)}-inbox.jsonl`));
}

/** Returns true if mails are sent. Always true in production, so that no wrong setting can stop mails there. */
function shouldSend(environment: Environment): boolean {
  return environment === "production" || Configuration.read(sendOutsideProductionField);
}

/** Makes a field required where mails are sent. */
export function requiredToSend<T>(field: ConfigurationField<T>): ConfigurationField<T> {
  return { ...field, isRequired: shouldSend };
}
