export { type CleanFiles, cleanFiles } from './files.ts';
export { type JsonFinding, redactJson, scanJson } from './json.ts';
export {
  checkInputSecrets,
  checkSecrets,
  checkSource,
  errorWithoutSecrets,
  isKnownClean,
  noteClean,
  sealed,
  secretError,
  withoutSecrets,
} from './policy.ts';
export { type Finding, redactText, scanText } from './scan.ts';
