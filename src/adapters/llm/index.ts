export { type BuiltInModel, builtInModel } from './built-in.ts';
export { createLimiter, type Limiter } from './limiter.ts';
export { isLocal } from './local.ts';
export { createModelPort, type ModelPortOptions } from './model-port.ts';
export { offeredModels } from './offered.ts';
export { baseUrlOf, needsKey } from './providers.ts';
export { estimateTokens } from './usage.ts';
