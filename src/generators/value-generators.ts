import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../core/index.ts";
import { addItems, addToHttpService, exportedListEdit, type NewRouter, newRouterEdit } from "./add-items.ts";
import {
  emailService,
  exportEdits,
  hasAccountInbox,
  inboxEdit,
  mailServerEdits,
  queueService,
  webhookService,
} from "./mail-edits.ts";
import type { Model } from "./describe-model.ts";
import { generate, type GenerationPlan, parseArguments } from "./generate.ts";
import { type Name, parseDottedName, parseName, toName } from "./name.ts";
import { withArticle } from "./print.ts";
import { sharedStub } from "./render-model.ts";
import { type GeneratedFile, projectRoot, renderStub, requireDatabase } from "../project/index.ts";
import { type FieldValues, jobValues, mailValues, parseValueFields } from "./value-fields.ts";
import { languagesOf, textGroup } from "./texts.ts";
import { type FileEdit, replaceOnce, requireFreeName, type TextTransform } from "./wire.ts";

/** Kind of a value that a generator writes: a module with the value and its test, and an edit that lists the value. */
interface ValueKind {
  /** Word for the value. It names the stubs and the files. */
  readonly word: string;
  readonly folder: string;
  readonly parse: (name: string, role: string) => Name;
  /** Returns the edit that lists the value, and further edits. */
  readonly edits: (name: Name, root: string) => readonly [list: FileEdit, ...others: readonly FileEdit[]];
  /** Returns the next steps. `values` is an object of the fields, in TypeScript. */
  readonly nextSteps: (name: Name, argument: string, values: string) => readonly string[];
  /** First half of the error message if the project has no database. Default: the value needs none. */
  readonly databaseReason?: string;
  /** Returns the text of the file of the list, which a project may lack. */
  readonly newList?: (name: Name) => string;
  /** Returns the values of the stubs that come from fields. Default: the command takes no fields. */
  readonly fieldValues?: FieldValues;
  /** Kind of the texts, and the words in them. Default: those of a mail. */
  readonly texts?: readonly [kind: string, words: Readonly<Record<string, string>>];
  /** Returns further files. */
  readonly files?: (root: string) => readonly GeneratedFile[];
}

/** Function that runs a generator. Returns `undefined` for wrong arguments. */
type Generator = (args: readonly string[], output: Command.Output) => Command.Done | undefined;

/** Returns the function that runs a generator of a value. */
function valueGenerator(kind: ValueKind): Generator {
  return (args, output) => {
    const { positionals, ...flags } = parseArguments(args, ["wire"]);
    const [argument, ...fields] = positionals;
    if (argument === undefined || (fields.length > 0 && kind.fieldValues === undefined)) return undefined;
    const root = projectRoot();
    if (kind.databaseReason !== undefined) requireDatabase(root, kind.databaseReason);
    return generate(root, planValue(kind, argument, fields, root), flags, output);
  };
}

function planValue(kind: ValueKind, argument: string, fields: readonly string[], root: string): GenerationPlan {
  const role = `the name of a ${kind.word}`;
  const name = kind.parse(argument, role);
  const [list, ...others] = kind.edits(name, root);
  requireFreeName(root, list, name.camel, role);
  const newList = existsSync(join(root, list.path)) ? undefined : kind.newList?.(name);
  const [textKind, words] = kind.texts ?? ["mail", { title: name.title }];
  const texts = textGroup(textKind, `${name.camel}Mail`, languagesOf(root).length > 0, words);
  const valueFields = kind.fieldValues === undefined ? [] : parseValueFields(fields, name, root);
  const { kebab, camel } = name;
  const values = {
    ...texts.values,
    ...kind.fieldValues?.(valueFields, camel, argument, texts),
    name: argument,
    pattern: argument.replaceAll(".", "\\."),
    value: camel,
    file: kebab,
    Name: name.pascal,
    KEY: name.snake.toUpperCase(),
    words: name.words,
    title: texts.entries.get("subject")?.[0] ?? name.title,
    aWords: withArticle(name.words),
  };
  return {
    files: [
      { path: `${kind.folder}/${kebab}.ts`, text: renderStub(`${kind.word}/${kind.word}.ts`, {}, values) },
      { path: `test/${kebab}-${kind.word}.test.ts`, text: renderStub(`${kind.word}/test.ts`, {}, values) },
      ...(newList === undefined ? [] : [{ path: list.path, text: `${list.imports?.join("\n")}\n\n${newList}\n` }]),
      ...(kind.files?.(root) ?? []),
    ],
    texts: [texts],
    edits: newList === undefined ? [list, ...others] : others,
    nextSteps: kind.nextSteps(name, argument, `{ ${valueFields.map((field) => field.name).join(", ")} }`),
  };
}

const runEdit = (imports: string, apply: TextTransform, snippet: string): FileEdit => ({
  path: "run/run.ts",
  imports: [imports],
  apply,
  snippet,
});

/** Returns the edit that adds a service to those of the application. */
const serviceEdit = (name: string, file: string): FileEdit =>
  runEdit(
    `import { ${name} } from "../service/${file}.ts";`,
    addItems(/^\s+services:/m, name),
    `services: [/* … */ ${name}],`,
  );

/** Runs the command `gen.command`. */
export const genCommand: Generator = valueGenerator({
  word: "command",
  folder: "app/command",
  parse: parseDottedName,
  edits: ({ camel, kebab }) => [exportedListEdit("app/command/command.ts", "commands", camel, `./${kebab}.ts`)],
  nextSteps: (_, argument) => [`npm run app ${argument} help`],
});

/** Runs the command `gen.schedule`. */
export const genSchedule: Generator = valueGenerator({
  word: "schedule",
  folder: "app/schedule",
  parse: parseDottedName,
  edits: ({ camel, kebab }) => [exportedListEdit("app/schedule/schedule.ts", "schedules", camel, `./${kebab}.ts`)],
  nextSteps: () => ["npm run app schedule.list"],
});

/** Runs the command `gen.service`. */
export const genService: Generator = valueGenerator({
  word: "service",
  folder: "service",
  parse: parseName,
  edits: ({ camel, kebab }) => [serviceEdit(camel, kebab)],
  nextSteps: () => ["npm run app config"],
});

/** Runs the command `gen.middleware`. */
export const genMiddleware: Generator = valueGenerator({
  word: "middleware",
  folder: "web/middleware",
  parse: parseName,
  edits: ({ camel, kebab }) => [
    runEdit(
      `import { ${camel} } from "../web/middleware/${kebab}.ts";`,
      addToHttpService(camel),
      `const http = Web.Http.service({ router, middlewares: [/* … */ ${camel}] });`,
    ),
  ],
  nextSteps: ({ camel }) => [
    `for some routes only, add ${camel} to the middlewares of their router in routes/routes.ts instead`,
  ],
});

/** Router of the webhooks. */
const webhooks: NewRouter = {
  name: "webhooks",
  declaration: `// Their senders sign them, and send no CSRF token.
const webhooks = Web.choose([], { middlewares: Web.Middleware.api() });`,
  parent: "export const router",
};

/** Runs the command `gen.webhook`. It adds a receiver, unless the project has one. */
export const genWebhook: Generator = valueGenerator({
  word: "webhook",
  folder: "web/handler",
  parse: parseName,
  databaseReason: "Webhooks that were received are stored in a database",
  edits: ({ camel, kebab, snake, words }) => [
    newRouterEdit(
      webhooks,
      `Web.post("/webhooks/${kebab}", ${camel})`,
      `import { ${camel} } from "../web/handler/${kebab}.ts";`,
    ),
    ...exportEdits(webhookService),
    runEdit(
      `import { ${camel}Secret } from "../web/handler/${kebab}.ts";`,
      addConfiguration(`${camel}Secret`),
      `configuration: [/* … */ ${camel}Secret],`,
    ),
    ...secretEdits(`${snake.toUpperCase()}_SECRET`, `Required in production: the secret of the webhooks of ${words}.`),
  ],
  nextSteps: ({ snake }) => ["npm run app migrate", "npm test", `set ${snake.toUpperCase()}_SECRET`],
});

/** Returns the edits that pass a secret to the application of `compose.yaml`, and list it in `.env.example`. */
function secretEdits(key: string, comment: string): readonly FileEdit[] {
  const variable = `${key}: \${${key}:?set it in .env}`;
  const example = `# ${comment}\n${key}=`;
  return [
    {
      path: "compose.yaml",
      apply: replaceOnce(`${key}:`, /^ {4}environment:\n/m, `$&      ${variable}\n`),
      snippet: `environment:\n  ${variable}`,
    },
    {
      path: ".env.example",
      apply: replaceOnce(`${key}=`, /^FRAMEWORK_SECRET=.*\n/m, `$&${example}\n`),
      snippet: example,
    },
  ];
}

/** Returns the transformation that adds a field to the configuration of the application itself. */
function addConfiguration(field: string): TextTransform {
  const add = addItems(/^ +configuration:/m, field);
  return (text) => add(text) ?? add(text.replace(/^( +)commands,\n/m, "$&$1configuration: [],\n"));
}

/** Runs the command `gen.job`. It adds a queue, unless the project has one. */
export const genJob: Generator = valueGenerator({
  word: "job",
  folder: "app/job",
  parse: parseDottedName,
  databaseReason: "Jobs are stored in a database",
  fieldValues: jobValues,
  newList: ({ camel }) => `/** Jobs of the application. */\nexport const jobs = [${camel}];`,
  edits: ({ camel, kebab }) => [
    exportedListEdit("app/job/job.ts", "jobs", camel, `./${kebab}.ts`),
    ...exportEdits(queueService),
    runEdit(
      'import { jobs } from "../app/job/job.ts";',
      replaceOnce("queue.register(", /^(?=export const app\b)/m, "queue.register(...jobs);\n\n"),
      "queue.register(...jobs);",
    ),
  ],
  nextSteps: ({ camel }, _, values) => [
    "npm run app migrate",
    `dispatch the job: await queue.dispatch(${camel}, ${values});`,
  ],
});

/** Kind of the mails. They need an e-mail service and an inbox with previews, which a project may have. */
const mailKind: ValueKind = {
  word: "mail",
  folder: "app/mail",
  parse: parseName,
  databaseReason: "Mails wait in a queue, which is stored in a database",
  fieldValues: mailValues,
  newList: ({ camel }) => `/** Mails with sample values, for the inbox. */\nexport const previews = [${camel}Preview];`,
  edits: ({ camel, kebab }, root) => [
    exportedListEdit("app/mail/mail.ts", "previews", `${camel}Preview`, `./${kebab}.ts`),
    ...exportEdits(queueService, emailService),
    inboxEdit(root),
    ...mailServerEdits,
  ],
  files: (root) => (hasAccountInbox(root) ? [] : [sharedStub("routes/inbox.ts", "mail/routes.ts")]),
  nextSteps: ({ camel }, _, values) => [
    "npm install",
    "npm run app migrate",
    "npm run dev, and open /mails",
    `send the mail: await email.send({ recipient, ...${camel}(${values}) });`,
  ],
};

/** Runs the command `gen.mail`. */
export const genMail: Generator = valueGenerator(mailKind);

/** Plans the mail that invites members, and the edit that keeps the last admin from being deactivated or deleted. */
export function planMembers({ name: { singular } }: Model, root: string): GenerationPlan {
  const words = { title: singular.title, aWords: withArticle(singular.words) };
  const kind: ValueKind = { ...mailKind, parse: toName, texts: ["invitation", words] };
  const fields = ["name:string", "sender:string", "role:string", "url:string"];
  const check = `user.registerChecks(${singular.pascal}Members.checkRemoval);`;
  const imports = `import * as ${singular.pascal}Members from "../app/domain/${singular.kebab}/members.ts";`;
  const checkEdit = runEdit(imports, replaceOnce(check, /^(?=export const app\b)/m, `${check}\n\n`), check);
  const plan = planValue(kind, `${singular.snake}_invitation`, fields, root);
  return { ...plan, edits: [checkEdit, ...plan.edits] };
}
