const KINDS: Record<string, string> = {
  array: 'a list',
  object: 'an object',
  record: 'an object',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

/** A fault of shape in plain words, from the words of the schema library. */
export function fitWords(message: string): string {
  const type = /^Invalid input: expected (\w+), received (\w+)$/.exec(message);
  if (type) {
    const wanted = KINDS[type[1] as string] ?? type[1];
    if (type[2] === 'undefined') return `write ${wanted} here, it is missing`;
    return `write ${wanted} here, not ${KINDS[type[2] as string]}`;
  }
  const literal = /^Invalid input: expected (".*")$/.exec(message);
  if (literal) return `write ${literal[1]} here`;
  const option = /^Invalid option: expected one of (.*)$/.exec(message);
  if (option) return `choose one of ${(option[1] as string).split('|').join(', ')}`;
  if (message === 'Invalid input') return 'it has none of the forms that may stand here';
  return message;
}
