import type { JsonObject } from '../../../model/json.ts';
import { takePicture } from '../shots/picture.ts';
import type { PageAct } from './context.ts';

export const screenshot: PageAct = async (context, acting, args) => {
  const { bytes, width, height, cut, matched } = await takePicture(context.driver, acting, args);
  const output: JsonObject =
    cut > 0
      ? { note: `The page is too high for one picture: its last ${Math.round(cut)} CSS pixels are left out.` }
      : {};
  return {
    output,
    meta: { ...context.readMeta(acting.tab, matched), width, height },
    artifact: { name: 'screenshot.png', mediaType: 'image/png', bytes },
  };
};
