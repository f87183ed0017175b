export { genAuth } from "./auth.ts";
export { switchDatabase } from "./switch-database.ts";
export { fieldTypes } from "./field.ts";
export { genMigration } from "./migration.ts";
export { genModel } from "./model.ts";
export { genHtml, genJson } from "./resource.ts";
export { genUndo } from "./undo.ts";
export { genView } from "./view.ts";
export { genCommand, genJob, genMail, genMiddleware, genSchedule, genService, genWebhook } from "./value-generators.ts";
