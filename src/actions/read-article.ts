import { z } from '../model/zod.ts';
import { defineAction } from './define.ts';

export const readArticle = defineAction({
  name: 'read_article',
  effect: 'read',
  summary: "Reads the page's main text as Markdown, without menus, notes and what is hidden.",
  args: z.strictObject({}),
  output: '{title, byline, markdown, url}: byline is null where the page names nobody',
  pageSide: true,
  targets: [],
  title: () => "Read the page's article",
});
