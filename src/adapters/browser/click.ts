import type { JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import { actAndFollow } from './follow.ts';

export interface ClickResult {
  output: JsonObject;
  matched: number | undefined;
}

/** Clicks once and follows where it leads. @throws TabloomError as {@link actAndFollow} */
export async function clickElement(
  driver: Driver,
  acting: Acting,
  args: JsonObject,
  token: string,
): Promise<ClickResult> {
  const { matched, url, openedTab } = await actAndFollow(driver, acting, 'click', args, token);
  return { output: { matched: matched ?? 0, url, openedTab }, matched };
}
