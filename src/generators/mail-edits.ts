import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageVersion, readProjectFile } from "../project/index.ts";
import { addItems } from "./add-items.ts";
import { addExport, editDependencies, type FileEdit, replaceOnce } from "./wire.ts";

/** Service of `service/service.ts`: its name, the code that creates it, and the imports of the code. */
export type ExportedService = readonly [name: string, value: string, ...imports: readonly string[]];

/** Queue of an application. */
export const queueService: ExportedService = ["queue", "Queue.sql({ database })", 'import { Queue } from "limmat";'];

/** Service that sends the mails of an application. */
export const emailService: ExportedService = [
  "email",
  "Email.queued({ queue, email: smtp() })",
  'import { Email } from "limmat";',
  'import { smtp } from "limmat/email/smtp";',
];

/** Service of the tokens of an application. */
export const tokenService: ExportedService = ["token", "Token.sql({ database })", 'import { Token } from "limmat";'];

/** Service that remembers the webhooks that an application has received. */
export const webhookService: ExportedService = [
  "webhook",
  "Webhook.receiver({ database })",
  'import { Webhook } from "limmat";',
];

/** Service that keeps the files of an application. */
export const storageService: ExportedService = [
  "storage",
  "Storage.sql({ database })",
  'import { Storage } from "limmat";',
];

/** Returns the edits that create services and register them. A service that the project already has is not replaced. */
export function exportEdits(...services: readonly ExportedService[]): readonly FileEdit[] {
  const names = services.map(([name]) => name);
  return [
    ...services.map(([name, value, ...imports]): FileEdit => ({
      path: "service/service.ts",
      imports,
      apply: addExport(name, value),
      snippet: `export const ${name} = ${value};`,
    })),
    {
      path: "run/run.ts",
      imports: [`import { ${names.toSorted().join(", ")} } from "../service/service.ts";`],
      apply: addItems(/^\s+services:/m, ...names),
      snippet: `services: [/* … */ ${names.join(", ")}],`,
    },
  ];
}

const accountRoutes = "routes/account.ts";

/** True if the routes of the accounts show the inbox. */
export const hasAccountInbox = (root: string): boolean =>
  readProjectFile(root, accountRoutes)?.includes("Email.Web.inbox(") === true;

/** True if `gen.mail` has written the routes of the inbox. */
export const hasInboxRoutes = (root: string): boolean => existsSync(join(root, "routes/inbox.ts"));

/** Returns the edit that shows previews in the inbox of the accounts, or else adds the routes of an inbox. */
export const inboxEdit = (root: string): FileEdit =>
  hasAccountInbox(root)
    ? {
        path: accountRoutes,
        imports: ['import { previews } from "../app/mail/mail.ts";'],
        apply: replaceOnce("previews", /Email\.Web\.inbox\(\{ email(?=[ ,])/, "$&, previews"),
        snippet: "Email.Web.inbox({ email, previews })",
      }
    : {
        path: "routes/routes.ts",
        imports: ['import { inbox } from "./inbox.ts";'],
        apply: addItems(/^export const router\b[^=\n]*= Web\.(?:choose|combine)\(/m, "inbox"),
        snippet: "export const router = Web.choose([/* … */ inbox]);",
      };

const exampleSettings = `# Required in production: links in e-mails begin with APP_URL. In development, /mails shows the e-mails.
APP_URL=http://localhost:3000
SMTP_HOST=smtp.example.com
SMTP_SENDER=accounts@example.com`;

const mailSettings = `# Mails go to the service "mail". For real mails, write the settings of a mail server here.
APP_URL: http://localhost:3000
SMTP_HOST: mail
SMTP_PORT: "1025"
SMTP_SECURITY: none
SMTP_SENDER: accounts@example.com`;

const mailService = `# Shows the mails of the application at http://localhost:8025.
mail:
  image: axllent/mailpit:v1.27
  ports: ["127.0.0.1:8025:8025"]`;

const indent = (text: string, spaces: string): string => text.replaceAll(/^(?=.)/gm, spaces);

/** Edits that add the settings of a mail server, and one for trials. */
export const mailServerEdits: readonly FileEdit[] = [
  {
    path: "compose.yaml",
    apply: replaceOnce("SMTP_HOST", /^ {4}environment:\n/m, `$&${indent(mailSettings, "      ")}\n`),
    snippet: `environment:\n${indent(mailSettings, "  ")}`,
  },
  {
    path: "compose.yaml",
    apply: replaceOnce("  mail:", /^services:\n/m, `$&${indent(mailService, "  ")}\n\n`),
    snippet: `services:\n${indent(mailService, "  ")}`,
  },
  {
    path: "package.json",
    apply: addNodemailer,
    snippet: `"dependencies": { "nodemailer": "${packageVersion("nodemailer")}" }`,
  },
  {
    path: ".env.example",
    apply: replaceOnce("SMTP_HOST", /^FRAMEWORK_SECRET=.*\n/m, `$&${exampleSettings}\n`),
    snippet: exampleSettings,
  },
];

/** Adds the package that sends mails over SMTP. */
function addNodemailer(text: string): string {
  const { dependencies } = JSON.parse(text) as { readonly dependencies?: object };
  if ("nodemailer" in (dependencies ?? {})) return text;
  return editDependencies(text, (packages) => {
    packages["nodemailer"] = packageVersion("nodemailer");
  });
}
