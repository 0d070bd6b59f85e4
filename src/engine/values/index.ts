/** Values of workflows: templates, conditions, schemas, match patterns (SPEC §1, §2). */
export { evaluateCondition, conditionShape } from './condition.ts';
export { evaluateExpression, readExpression, type Expression } from './expression.ts';
export type { Where } from './failures.ts';
export { isSource, partOf, resolveFields, type FieldOptions, type ResolvedFields } from './fields.ts';
export { formatPath, parsePath, parseRelativePath, type Path } from './path.ts';
export {
  checkTemplates, inspect, inspectCondition, inspectExpression, inspectSourced, referencesOf, type Reference, type TemplateProblem,
} from './references.ts';
export { linearRegex, type LinearRegex } from './regex.ts';
export { checkSchema, validateSchema, type SchemaError, type SchemaResult } from './schema.ts';
export { originOf, originsOf, parsePattern, siteAllows, type SitePattern } from './sites.ts';
export { asText, resolve } from './template.ts';
