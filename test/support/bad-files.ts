/** One file that is no workflow, or none that can run, and what is to be said of it. */
export interface BadFile {
  /** What is wrong, in words; part of the test's name. */
  what: string;
  /** File name. */
  name: string;
  content: string | Uint8Array;
  /** Code, line and column of the first problem. */
  code: string;
  line: number;
  column: number;
  /** Says what to do. */
  says: RegExp;
}

const HEAD = 'format: tabloom/v1\nid: bad\nname: Bad\n';
const STEPS = `steps:
  - { id: a, type: wait, for: 1s }
`;

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : Buffer.from(part))));

/** Every way of SPEC §1 in which a file can be wrong. */
export const BAD_FILES: BadFile[] = [
  {
    what: 'an unknown key',
    name: 'key.yaml',
    content: `${HEAD}colour: red\n${STEPS}`,
    code: 'schema_invalid',
    line: 4,
    column: 1,
    says: /colour/,
  },
  {
    what: 'a wrong type',
    name: 'type.yaml',
    content: `${HEAD}sites: 5\n${STEPS}`,
    code: 'schema_invalid',
    line: 4,
    column: 1,
    says: /write a list here, not a number/,
  },
  {
    what: 'a cycle',
    name: 'cycle.yaml',
    content: `${HEAD}steps:\n  - { id: a, type: wait, for: 1s, dependsOn: [b] }\n  - { id: b, type: wait, for: 1s, dependsOn: [a] }\n`,
    code: 'cycle',
    line: 5,
    column: 35,
    says: /Take one.*a → b → a/,
  },
  {
    what: 'an unquoted a ? b : c',
    name: 'ternary.yaml',
    content: `${HEAD}steps:\n  - id: a\n    type: condition\n    if: workflow_input.n > 1 ? true : false\n    then: []\n`,
    code: 'schema_invalid',
    line: 7,
    column: 9,
    says: /quotes/,
  },
  {
    what: 'an unquoted {{x}}',
    name: 'braces.yaml',
    content: `${HEAD}${STEPS}output: {{workflow_input.x}}\n`,
    code: 'schema_invalid',
    line: 6,
    column: 10,
    says: /quotes/,
  },
  {
    what: 'an unquoted !x',
    name: 'bang.yaml',
    content: `${HEAD}steps:\n  - id: a\n    type: condition\n    if: !workflow_input.x\n    then: []\n`,
    code: 'schema_invalid',
    line: 7,
    column: 26,
    says: /quotes/,
  },
  {
    what: 'an unquoted [0]',
    name: 'index.yaml',
    content: `${HEAD}${STEPS}output: [0].name\n`,
    code: 'schema_invalid',
    line: 6,
    column: 12,
    says: /quotes/,
  },
  {
    what: 'a key that is there twice',
    name: 'twice.yaml',
    content: `${HEAD}name: Again\n${STEPS}`,
    code: 'schema_invalid',
    line: 4,
    column: 1,
    says: /name/,
  },
  {
    what: 'Latin-1 instead of UTF-8',
    name: 'latin1.yaml',
    content: bytes(`${HEAD}description: Gr`, [0xfc, 0xdf, 0x65], `\n${STEPS}`),
    code: 'schema_invalid',
    line: 4,
    column: 16,
    says: /Save the file as UTF-8/,
  },
  {
    what: 'UTF-16',
    name: 'utf16.yaml',
    content: bytes([0xff, 0xfe], [...Buffer.from(HEAD + STEPS, 'utf16le')]),
    code: 'schema_invalid',
    line: 1,
    column: 1,
    says: /Save the file as UTF-8/,
  },
  {
    what: 'no text at all, but a picture',
    name: 'picture.yaml',
    content: bytes([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d]),
    code: 'schema_invalid',
    line: 1,
    column: 1,
    says: /UTF-8/,
  },
  {
    what: 'bytes that are text and yet none',
    name: 'zeros.yaml',
    content: bytes(HEAD, [0, 0, 0, 0]),
    code: 'schema_invalid',
    line: 4,
    column: 1,
    says: /no text file/,
  },
  { what: 'nothing in it', name: 'empty.yaml', content: '', code: 'schema_invalid', line: 1, column: 1, says: /empty/ },
  {
    what: '5 MB',
    name: 'large.yaml',
    content: `${HEAD}${STEPS}# ${'x'.repeat(5 * 1024 * 1024)}\n`,
    code: 'schema_invalid',
    line: 1,
    column: 1,
    says: /1 MB/,
  },
  {
    what: 'JSON that is cut off',
    name: 'cut.json',
    content: '{ "format": "tabloom/v1", "id": "bad",',
    code: 'schema_invalid',
    line: 1,
    column: 39,
    says: /closing/,
  },
  {
    what: 'not one step',
    name: 'none.yaml',
    content: `${HEAD}steps: []\n`,
    code: 'schema_invalid',
    line: 4,
    column: 1,
    says: /step/,
  },
  {
    what: 'only a word',
    name: 'word.yaml',
    content: 'hello\n',
    code: 'schema_invalid',
    line: 1,
    column: 1,
    says: /This is no workflow/,
  },
];
