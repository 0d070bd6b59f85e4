/**
 * The only door to zod. `jitless` must be set before the first schema is made: zod's compiled parsers probe `new Function`,
 * which the extension's CSP reports as a violation (https://github.com/colinhacks/zod/issues/5414).
 */
import { z } from 'zod';

z.config({ jitless: true });

export { z };
