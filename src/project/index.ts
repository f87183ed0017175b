export { databaseChoices, type DatabaseName, databases, parseDatabase } from "./database.ts";
export { errors } from "./errors.ts";
export { mergeText, type TextVersions } from "./merge-text.ts";
export { refuseTakenOptions } from "./npm-options.ts";
export { databaseMismatch, projectRoot, requireDatabase, requireSingleDatabase } from "./project.ts";
export { databaseLines, type ProjectFiles, renderProject, toDatabaseName } from "./project-files.ts";
export {
  blobId,
  findOriginal,
  formatRecord,
  isUnrecorded,
  packText,
  parseRecord,
  type ProjectRecord,
  recordPath,
} from "./project-record.ts";
export { frameworkVersion, packagePath, packageVersion, readPackageFile, renderStub, type StubValues } from "./stub.ts";
export { type GeneratedFile, readProjectFile, writeFiles, type WrittenFile } from "./write-files.ts";
