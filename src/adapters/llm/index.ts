export { createLimiter, type Limiter } from './limiter.ts';
export { createModelPort, type ModelPortOptions } from './model-port.ts';
export { chooseModel, type ModelChoice } from './names.ts';
export { LIST_PRICES, priceOf } from './prices.ts';
export { baseUrlOf, needsKey } from './providers.ts';
export { estimateTokens } from './usage.ts';
