// Long texts of the help of commands, loaded on demand (docs/decisions/017).

const types = "string, text, int, float, decimal, bool, date, datetime, uuid, json, oneOf(a,b)";

const fieldsHelp = `A field is <name>:<type>, followed by "?" if it is optional, then by ":unique" or ":index":
  ${types}
A relation has the name of a model as its type, or many(model). "user" is a user of gen.auth.`;

const modelOptions = {
  "--plural": "=<name>  plural of an irregular name",
  "--in": "=<model>     nests the entries below an entry of another model: /projects/:project/issues",
  "--owner": "          shows entries only to the user who created them",
  "--members": "        shows entries only to members: of the parent, or else of each entry",
  "--no-model": "       adds pages or a JSON API to an existing model",
  "--token": "          requires a token of the clients of the JSON API",
  "--wire": "           edits the existing files as well: services, routes, migrations",
  "--dry-run": "        lists the files and writes none",
  "--force": "          overwrites files that exist",
} as const;

/** Options of the generators of a model. */
export type ModelOption = keyof typeof modelOptions;

/** Details of a generator of a model, without the options that it does not have. */
export function modelDetails(command: string, missing: readonly ModelOption[]): string {
  const hasLogin = !missing.includes("--owner");
  const options = Object.entries(modelOptions).filter(([name]) => !(missing as readonly string[]).includes(name));
  const wire = missing.includes("--wire") ? "" : " --wire";
  return `${fieldsHelp}

${options.map(([name, text]) => `  ${name}${text}`).join("\n")}

For example:
  ${command} note title:string 'body:text?' done:bool${wire}
${
  hasLogin
    ? `  ${command} issue title:string 'state:oneOf(open,closed)' 'assignee:user?' \\
    'labels:many(label)' --in=project --owner --members${wire}`
    : `  ${command} issue title:string 'state:oneOf(open,closed)' 'labels:many(label)' --in=project${wire}`
}`;
}

/** Details of `gen.migration`. */
export const migrationDetails: string = `The name determines the migration:
  add_rank_to_notes place:int       adds columns
  remove_rank_from_notes place:int  drops columns
  create_labels name:string         creates a table
  drop_labels                       drops a table
  any other name (count_notes)      is empty, for your own SQL

${fieldsHelp}`;

const valueFieldsHelp = `A field is <name>:<type>, followed by "?" if it is optional. Default: name:string. Types:
  ${types}`;

/** Details of `gen.job`. */
export const jobDetails: string = `The fields are the input of the job: give it the id of a row, not the row.
${valueFieldsHelp}

For example:
  gen.job order.mail order:uuid --wire`;

/** Details of `gen.mail`. */
export const mailDetails: string = `The mail is a function in app/mail, which jobs and services of the domain may import. The inbox of
the development server, /mails, shows it with sample values. The fields are its values.
${valueFieldsHelp}

For example:
  gen.mail order_confirmation order:uuid total:decimal --wire`;

/** Details of `gen.auth`. */
export const authDetails: string = `Writes pages for registration, login and logout, changing the password, the list of active sessions,
and resetting a forgotten password by e-mail. They build on the services for users, tokens, e-mail
and password reset, which bring their tables. --wire adds the services to service/service.ts and
run/run.ts, the routes to routes/routes.ts, and a link to the layout.`;

/** Details of `gen.undo`. */
export const undoDetails: string = `A file that has changed since is not removed: then nothing is undone. Edits of existing files are
reverted line by line, so that changes of other lines stay. The last 20 runs can be undone, one by
one.`;

/** Details of `database`. */
export const databaseDetails: string = `Edits service/service.ts, package.json, .env, .env.test, compose.yaml, the CI workflow and the
documents. Changes of your own stay: where they touch the same lines, the new version is written
next to the file, with the ending .new. gen.undo reverts the edits, except for .env, where the old
lines stay as comments. The data of the old database is not copied.

For example:
  database postgresql`;

/** Details of `upgrade`. */
export const upgradeDetails: string = `Install the new version first: npm install limmat@<version>. The command needs no network. It shows
the breaking changes since the version that the project was written for, and merges the changes of
the template into the files of the project. Without --write it only shows what it would change.
Start it with "npx limmat upgrade" if the application does not load.

  --write  changes the files; where you and the template changed the same lines, the new version is
           written next to the file, with the ending .new
  --force  writes even if git cannot revert the changes
  --from   the version that the project was written for, if .limmat.json is missing`;

/** Details of `dev`. */
export const devDetails: string = `Runs the application on PORT, and restarts it on every change: PORT=4000 npm run dev

  --migrate   runs the pending migrations before the first start
  --no-types  does not check types`;

/** Details of `docs`. */
