import { addItems } from "./add-items.ts";
import { width } from "./print.ts";
import { addLines, addValue, type Edit, replace } from "./wire.ts";

const limmat = (name: string): string => `import { ${name} } from "limmat";`;

const services: readonly (readonly [name: string, value: string, ...imports: readonly string[]])[] = [
  ["queue", "Queue.sql({ database })", limmat("Queue")],
  ["email", "Email.queued({ queue, email: smtp() })", limmat("Email"), 'import { smtp } from "limmat/email/smtp";'],
  ["token", "Token.sql({ database })", limmat("Token")],
  ["user", "User.service({ database })", limmat("User")],
  ["account", "Account.service({ database, token, user, email })", limmat("Account")],
  ["passwordReset", "PasswordReset.service({ token, user, email })", limmat("PasswordReset")],
];

const names = services.map(([name]) => name);

const knowsUsers = "[...Web.Middleware.site(), User.Web.middleware(user)]";
const link = '<a class="button quiet" href="${request.prefix}/account">Account</a>';

const cheapHashes =
  "# The least that a hash of a password can cost: tests need not wait.\nPASSWORD_MEMORY=8\nPASSWORD_PASSES=1";

/** What `gen.auth` adds to the files of a project. A service that is there already is taken as it is. */
export const authEdits: readonly Edit[] = [
  ...services.map(([name, value, ...imports]): Edit => ({
    path: "service/service.ts",
    imports,
    change: addValue(name, value),
    shown: `export const ${name} = ${value};`,
  })),
  {
    path: "run/run.ts",
    imports: [`import { ${names.toSorted().join(", ")} } from "../service/service.ts";`],
    change: addItems(/^\s+services:/m, ...names),
    shown: `services: [/* … */ ${names.join(", ")}],`,
  },
  {
    path: "routes/routes.ts",
    imports: [limmat("User"), 'import { user } from "../service/service.ts";'],
    change: letSiteKnow,
    shown: `const site = Web.choose([/* … */], { middlewares: ${knowsUsers} });`,
  },
  {
    path: "routes/routes.ts",
    imports: ['import { account } from "./account.ts";'],
    change: addItems(/^export const router\b[^=\n]*= Web\.(?:choose|combine)\(/m, "account"),
    shown: "export const router = Web.choose([/* … */ account]);",
  },
  {
    path: "web/view/layout.ts",
    imports: [],
    change: replace("/account", /(<header>.*)(?=<\/header>)/, `$1 ${link.replaceAll("$", "$$$$")}`),
    shown: `<header>… ${link}</header>`,
  },
  {
    path: ".env.test",
    imports: [],
    change: addLines("PASSWORD_MEMORY", cheapHashes),
    shown: cheapHashes,
  },
];

/** Has all pages of the site know who is logged in. */
function letSiteKnow(text: string): string | undefined {
  if (text.includes("User.Web.middleware(")) return text;
  const site =
    /^const site\b[^=\n]*= Web\.(?:choose|combine)\((?:(?!;\n)[^])*?\bmiddlewares: Web\.Middleware\.site\(\)/m;
  const changed = text.replace(site, (found) => found.replace(/Web\.Middleware\.site\(\)$/, knowsUsers));
  if (changed === text) return undefined;
  // The formatter opens the object where the line is too long.
  return changed.replace(/^const site\b.*$/m, (line) =>
    line.length <= width ? line : line.replace(/, \{ (middlewares: .*) \}\);$/, ", {\n  $1,\n});"),
  );
}
