import type { EntryKind } from '../model/library.ts';

/** What a new recipe or agent begins with: a whole file that can be saved and tried as it is. */
export const STARTERS: Readonly<Record<EntryKind, string>> = {
  recipe: `format: tabloom/v1
recipe: summarise
name: Summarise a text
description: Says in a few sentences what a text is about.
system: You write short, plain summaries.
prompt: "Summarise in at most {{input.sentences}} sentences: {{input.text}}"
inputSchema:
  type: object
  required: [text, sentences]
  properties:
    text: { type: string, maxLength: 20000 }
    sentences: { type: integer, minimum: 1, maximum: 10 }
outputSchema:
  type: object
  required: [summary]
  properties: { summary: { type: string } }
examples:
  - name: A short note
    input: { text: "The meeting moved from Monday to Tuesday, since the room was taken.", sentences: 1 }
`,
  agent: `format: tabloom/v1
agent: counter
name: Count words
description: Counts the words of a text with a tool, instead of guessing.
instructions: You count words. Split the text with the tool and count what comes back.
tools: [text.split]
maxTurns: 5
examples:
  - name: A short note
    input: { text: The meeting moved }
`,
};
