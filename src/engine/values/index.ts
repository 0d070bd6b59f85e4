/** Values of workflows: templates, conditions, schemas, match patterns (SPEC §1, §2). */
export { conditionShape, evaluateCondition } from './condition.ts';
export { type Expression, evaluateExpression, readExpression } from './expression.ts';
export type { Where } from './failures.ts';
export { type FieldOptions, isSource, partOf, type ResolvedFields, resolveFields } from './fields.ts';
export { formatPath, type Path, parsePath, parseRelativePath } from './path.ts';
export {
  checkTemplates,
  inspect,
  inspectCondition,
  inspectExpression,
  inspectSourced,
  type Reference,
  referencesOf,
  type TemplateProblem,
} from './references.ts';
export { type LinearRegex, linearRegex } from './regex.ts';
export { checkSchema, type SchemaError, type SchemaResult, validateSchema } from './schema.ts';
export { originOf, originsOf, parsePattern, patternCovered, type SitePattern, siteAllows } from './sites.ts';
export { asText, resolve } from './template.ts';
