import type { Command } from "../../core/index.ts";
import { authEdits } from "./auth-edits.ts";
import { generate, parseArguments } from "./generate.ts";
import { setupFile } from "./model-files.ts";
import { projectRoot, requireDatabase } from "./project.ts";
import { renderStub } from "./stub.ts";
import { sharedViews } from "./view-files.ts";

const stubs = {
  "web/handler/session.ts": "auth/session-handler.ts",
  "web/handler/account.ts": "auth/account-handler.ts",
  "web/handler/email.ts": "auth/email-handler.ts",
  "web/view/session.ts": "auth/session-view.ts",
  "web/view/account.ts": "auth/account-view.ts",
  "web/view/email.ts": "auth/email-view.ts",
  "routes/account.ts": "auth/routes.ts",
  "test/account.test.ts": "auth/test.ts",
} as const;

/** The command `gen.auth`; throws the errors of the generators. */
export function genAuth(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { rest, ...flags } = parseArguments(args, ["wire"]);
  if (rest.length > 0) return undefined;
  const root = projectRoot();
  requireDatabase(root, "Accounts are kept in a database");
  const own = Object.entries(stubs).map(([path, stub]) => ({ path, text: renderStub(stub, {}) }));
  return generate(
    root,
    {
      files: [...own, ...sharedViews(), setupFile()],
      edits: authEdits,
      next: ["npm run app migrate", "npm test", "npm run dev, and open /account; what would be mailed is at /mails"],
      remarks: [
        "In production mails need a server (npm install nodemailer@10), and links in them APP_URL: see npm run app doctor.",
      ],
    },
    flags,
    output,
  );
}
