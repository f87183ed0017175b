import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../core/index.ts";
import { addItems } from "./add-items.ts";
import { generate, parseArguments } from "./generate.ts";
import { templateFile } from "./render-model.ts";
import {
  emailService,
  type ExportedService,
  exportEdits,
  hasInboxRoutes,
  mailServerEdits,
  queueService,
  tokenService,
} from "./mail-edits.ts";
import { projectRoot, renderStub, requireDatabase } from "../project/index.ts";
import { sharedViews } from "./view.ts";
import { languagesOf, textGroup } from "./texts.ts";
import { addLines, type FileEdit, replaceOnce } from "./wire.ts";

/** Runs the command `gen.auth`. */
export function genAuth(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { positionals, ...flags } = parseArguments(args, ["wire"]);
  if (positionals.length > 0) return undefined;
  const root = projectRoot();
  requireDatabase(root, "Accounts are stored in a database");
  const texts = textGroup("accountMenu", "accountMenu", languagesOf(root).length > 0);
  const authFiles = [
    { path: "routes/account.ts", text: renderStub("auth/routes.ts", { hasInbox: hasInboxRoutes(root) }) },
    { path: "test/account.test.ts", text: renderStub("auth/test.ts", {}) },
    { path: "web/view/account-menu.ts", text: renderStub("auth/account-menu.ts", {}, texts.values) },
  ];
  return generate(
    root,
    {
      files: [...authFiles, ...sharedViews(), templateFile("test/setup.ts")],
      edits,
      texts: [texts],
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

const importLimmat = (name: string): string => `import { ${name} } from "limmat";`;

const services: readonly ExportedService[] = [
  queueService,
  emailService,
  tokenService,
  ["user", "User.service({ database })", importLimmat("User")],
  ["account", "Account.service({ database, token, user, email })", importLimmat("Account")],
  ["passwordReset", "PasswordReset.service({ token, user, email })", importLimmat("PasswordReset")],
];

const userMiddleware = "User.Web.middleware(user, { preload: true })";
const accountMenu = "${accountMenu(request)}";

const passwordSettings = "# The cheapest password hashes, for fast tests.\nPASSWORD_MEMORY=8\nPASSWORD_PASSES=1";

/** Edits of existing project files. A service that the project already has is not replaced. */
const edits: readonly FileEdit[] = [
  ...exportEdits(...services),
  {
    path: "routes/routes.ts",
    imports: [importLimmat("User"), 'import { user } from "../service/service.ts";'],
    apply: addItems(/^const middlewares\b[^=\n]*=/m, userMiddleware),
    snippet: `const middlewares = [...Web.Middleware.site(), /* … */ ${userMiddleware}];`,
  },
  {
    path: "routes/routes.ts",
    imports: ['import { account } from "./account.ts";'],
    apply: addItems(/^export const router\b[^=\n]*= Web\.(?:choose|combine)\(/m, "account"),
    snippet: "export const router = Web.choose([/* … */ account]);",
  },
  {
    path: "web/view/layout.ts",
    imports: ['import { accountMenu } from "./account-menu.ts";'],
    apply: replaceOnce("accountMenu(", /( *)<\/header>/, `$1  $${accountMenu}\n$1</header>`),
    snippet: `<header>… ${accountMenu}</header>`,
  },
  ...mailServerEdits,
  {
    path: ".env.test",
    apply: addLines("PASSWORD_MEMORY", passwordSettings),
    snippet: passwordSettings,
  },
];
