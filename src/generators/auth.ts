import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../core/index.ts";
import { addItems } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import { printWidth } from "./print.ts";
import { templateFile } from "./render-model.ts";
import { packageVersion, projectRoot, renderStub, requireDatabase } from "../project/index.ts";
import { sharedViews } from "./view.ts";
import { addExport, addLines, editDependencies, type FileEdit, replaceOnce } from "./wire.ts";

/** Runs the command `gen.auth`. */
export function genAuth(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  if (positionals.length > 0) return undefined;
  const root = projectRoot();
  requireDatabase(root, "Accounts are stored in a database");
  const authFiles = Object.entries(stubs).map(([path, stub]) => ({ path, text: renderStub(stub, {}) }));
  return generate(
    root,
    {
      files: [...authFiles, ...sharedViews(), templateFile("test/setup.ts")],
      edits,
      existsHint: existsSync(join(root, "routes/account.ts"))
        ? "The project has accounts already: edit these files"
        : "Rename these files",
      nextSteps: [
        "npm install",
        "npm run app migrate",
        "npm test",
        "npm run dev, and open /account; the inbox at /mails shows all e-mails of the application",
      ],
      remarks: [
        "In production, set up an SMTP server and APP_URL, which links in e-mails begin with. npm run app doctor checks both.",
      ],
    },
    flags,
    output,
  );
}

const stubs = {
  "routes/account.ts": "auth/routes.ts",
  "test/account.test.ts": "auth/test.ts",
} as const;

const importLimmat = (name: string): string => `import { ${name} } from "limmat";`;

const services: readonly (readonly [name: string, value: string, ...imports: readonly string[]])[] = [
  ["queue", "Queue.sql({ database })", importLimmat("Queue")],
  [
    "email",
    "Email.queued({ queue, email: smtp() })",
    importLimmat("Email"),
    'import { smtp } from "limmat/email/smtp";',
  ],
  ["token", "Token.sql({ database })", importLimmat("Token")],
  ["user", "User.service({ database })", importLimmat("User")],
  ["account", "Account.service({ database, token, user, email })", importLimmat("Account")],
  ["passwordReset", "PasswordReset.service({ token, user, email })", importLimmat("PasswordReset")],
];

const serviceNames = services.map(([name]) => name);

const siteMiddlewares = "[...Web.Middleware.site(), User.Web.middleware(user)]";
const accountLink = '<a class="button secondary" href="${request.prefix}/account">Account</a>';

const passwordSettings = "# The cheapest password hashes, for fast tests.\nPASSWORD_MEMORY=8\nPASSWORD_PASSES=1";

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

/** Edits of existing project files. A service that the project already has is not replaced. */
const edits: readonly FileEdit[] = [
  ...services.map(([name, value, ...imports]): FileEdit => ({
    path: "service/service.ts",
    imports,
    apply: addExport(name, value),
    snippet: `export const ${name} = ${value};`,
  })),
  {
    path: "run/run.ts",
    imports: [`import { ${serviceNames.toSorted().join(", ")} } from "../service/service.ts";`],
    apply: addItems(/^\s+services:/m, ...serviceNames),
    snippet: `services: [/* … */ ${serviceNames.join(", ")}],`,
  },
  {
    path: "routes/routes.ts",
    imports: [importLimmat("User"), 'import { user } from "../service/service.ts";'],
    apply: addUserMiddleware,
    snippet: `const site = Web.choose([/* … */], { middlewares: ${siteMiddlewares} });`,
  },
  {
    path: "routes/routes.ts",
    imports: ['import { account } from "./account.ts";'],
    apply: addItems(/^export const router\b[^=\n]*= Web\.(?:choose|combine)\(/m, "account"),
    snippet: "export const router = Web.choose([/* … */ account]);",
  },
  {
    path: "web/view/layout.ts",
    apply: replaceOnce("/account", /(<header>.*)(?=<\/header>)/, `$1 ${accountLink.replaceAll("$", "$$$$")}`),
    snippet: `<header>… ${accountLink}</header>`,
  },
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
  {
    path: ".env.test",
    apply: addLines("PASSWORD_MEMORY", passwordSettings),
    snippet: passwordSettings,
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

/** Adds the user middleware to the router of the pages. */
function addUserMiddleware(text: string): string | undefined {
  if (text.includes("User.Web.middleware(")) return text;
  const siteRouter =
    /^const site\b[^=\n]*= Web\.(?:choose|combine)\((?:(?!;\n)[^])*?\bmiddlewares: Web\.Middleware\.site\(\)/m;
  const edited = text.replace(siteRouter, (code) => code.replace(/Web\.Middleware\.site\(\)$/, siteMiddlewares));
  if (edited === text) return undefined;
  // The formatter expands the options of a line that is too long.
  return edited.replace(/^const site\b.*$/m, (line) =>
    line.length <= printWidth ? line : line.replace(/, \{ (middlewares: .*) \}\);$/, ", {\n  $1,\n});"),
  );
}
