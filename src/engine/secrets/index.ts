export { type JsonFinding, redactJson, scanJson } from './json.ts';
export {
  checkInputSecrets,
  checkSecrets,
  checkSource,
  errorWithoutSecrets,
  sealed,
  secretError,
  withoutSecrets,
} from './policy.ts';
export { type Finding, redactText, scanText } from './scan.ts';
