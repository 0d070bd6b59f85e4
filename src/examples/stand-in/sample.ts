type Schema = Record<string, unknown>;

/**
 * The plainest value that a simple JSON Schema allows: required properties only, texts say `notice`. For calls that the stand-in has no
 * rule for, so that they get an answer of the right shape that nobody takes for a model's.
 */
export function sample(schema: Schema, notice: string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return notice;
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'null':
      return null;
    default: {
      const properties = (schema.properties ?? {}) as Record<string, Schema>;
      const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
      return Object.fromEntries(required.map((key) => [key, sample(properties[key] ?? { type: 'string' }, notice)]));
    }
  }
}
