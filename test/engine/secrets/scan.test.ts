import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactText, scanText } from '../../../src/engine/secrets/index.ts';
import { alnum, base64, hex, NAMED, TOKENS } from './tokens.ts';

describe('what is a secret', () => {
  it.each(Object.entries(TOKENS))('a %s inside a sentence: found under its kind, to the letter', (kind, token) => {
    const text = `use ${token} for it`;
    expect(scanText(text)).toEqual([{ kind, start: 4, end: 4 + token.length }]);
    expect(redactText(text)).toBe(`use [redacted:${kind}] for it`);
  });

  it.each(Object.entries(NAMED))(
    'a %s by what stands around it: found, and gone once redacted',
    (kind, { text, secret }) => {
      expect(scanText(text).map((finding) => finding.kind)).toEqual([kind]);
      expect(redactText(text)).not.toContain(secret);
    },
  );

  it('a private key with escaped line breaks, as in a JSON file of a service account: found whole', () => {
    const pem = (NAMED.private_key?.text ?? '').split('\n').slice(1, -1).join('\n');
    const text = JSON.stringify({ type: 'service_account', key: pem, client: 'x' });
    expect(redactText(text)).toBe('{"type":"service_account","key":"[redacted:private_key]","client":"x"}');
  });

  it('a token given to a general name: found under its own kind', () => {
    expect(scanText(`api_key=${TOKENS.github_token}`).map(({ kind }) => kind)).toEqual(['github_token']);
  });

  it('several tokens in one text: each replaced, the rest stays', () => {
    expect(redactText(`a ${TOKENS.npm_token}, ${TOKENS.github_token} b`)).toBe(
      'a [redacted:npm_token], [redacted:github_token] b',
    );
  });
});

describe('a secret in disguise', () => {
  const token = TOKENS.github_token as string;
  const each = (change: (code: number) => string) => [...token].map((char) => change(char.charCodeAt(0))).join('');
  it.each([
    ['in decimal entities of HTML', each((code) => `&#${code};`)],
    ['in hexadecimal ones', each((code) => `&#x${code.toString(16)};`)],
    ['in hexadecimal ones with capitals', each((code) => `&#X${code.toString(16).toUpperCase()};`)],
    ['with full-width letters', each((code) => String.fromCharCode(code + 0xfee0))],
    ['with full-width letters in entities', each((code) => `&#x${(code + 0xfee0).toString(16)};`)],
    ['in escapes of JSON', each((code) => `\\u${code.toString(16).padStart(4, '0')}`)],
    ['in percent codes', each((code) => `%${code.toString(16)}`)],
  ])('%s: found, and gone once redacted', (_, text) => {
    expect(scanText(`use ${text} here`).map(({ kind }) => kind)).toEqual(['github_token']);
    expect(redactText(`use ${text} here`)).toBe('use [redacted:github_token] here');
  });

  it('what only looks like an entity is text as it stands', () => {
    for (const text of ['&#xZZ;', '&#;', '&#x;', '&#12a;', '&#99999999;', '&#0;']) expect(redactText(text)).toBe(text);
  });
});

describe('what is none', () => {
  const clean: [string, string][] = [
    [
      'prose about keys',
      'The password field holds a token; the API key is a secret key. Bearer tokens are basic things.',
    ],
    ['a UUID', 'token=550e8400-e29b-41d4-a716-446655440000 and api_key: 550e8400-e29b-41d4-a716-446655440000'],
    ['git hashes', `commit ${hex(40)}, tree ${hex(40)}, sha256:${hex(64)}`],
    [
      'a base64 image',
      `data:image/png;base64,${Buffer.from(Array.from({ length: 9000 }, (_, i) => (i * i * 7919) % 251)).toString('base64')}`,
    ],
    [
      'placeholders',
      'OPENAI_API_KEY=sk-... api_key = "YOUR_API_KEY" token: ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx sk-proj-your-key-goes-here-and-nowhere-else-please',
    ],
    ['the example key of AWS', ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY', 'EXAMPLEKEY'].join('')],
    [
      'code that reads a key',
      'const api_key = process.env.OPENAI_API_KEY2; password = getPassword1("Main"); token := os.environ["TOKEN1"]',
    ],
    ['a template', 'https://{{secret.user}}:{{secret.password}}@db.example.test and api_key: "{{secret.key}}"'],
    ['an address with a placeholder', 'postgres://user:password@localhost/db https://user:****@host.example'],
    ['an address with a port and an @', 'https://example.test:8443/@me/x?mail=a@example.test'],
    ['a cursor for the next page', '{"next_page_token":"CAUQAA9f3a0c7be15d28469f3a","csrf":"x"}'],
    [
      'a public key and a certificate',
      `-----BEGIN PUBLIC KEY-----\n${alnum(64)}\n-----END PUBLIC KEY-----\n-----BEGIN CERTIFICATE-----\n${alnum(64)}\n-----END CERTIFICATE-----`,
    ],
    ['a rule about passwords', 'password: minimum8characters, with digits. API key: rotate-every-90-days-or-sooner'],
    ['what was redacted before', 'api_key = "[redacted:generic_secret]" https://[redacted:url_password]@x.example'],
  ];
  it.each(clean)('%s: clean', (_name, text) => {
    expect(scanText(text)).toEqual([]);
  });
});

/** Ways in which a token can be hidden in a page. The rest of each text is ordinary. */
const disguises: Record<string, (token: string, at: number) => string> = {
  plain: (token) => token,
  'invisible character': (token, at) => `${token.slice(0, at)}\u200b${token.slice(at)}`,
  'line break': (token, at) => `${token.slice(0, at)}\n  ${token.slice(at)}`,
  base64: (token) => base64(token),
  'base64 with words around': (token) => base64(`this is ${token} indeed`),
  'percent encoding': (token) => [...token].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(''),
  'percent encoding twice': (token, at) =>
    `${token.slice(0, at)}%25${token.charCodeAt(at).toString(16)}${token.slice(at + 1)}`,
  'unicode escape': (token, at) =>
    `${token.slice(0, at)}\\u00${token.charCodeAt(at).toString(16)}${token.slice(at + 1)}`,
  'character reference': (token, at) => `${token.slice(0, at)}&#${token.charCodeAt(at)};${token.slice(at + 1)}`,
};
const FIXED = [
  'github_token',
  'google_api_key',
  'npm_token',
  'huggingface_token',
  'shopify_token',
  'digitalocean_token',
];

describe('disguises', () => {
  for (const [name, disguise] of Object.entries(disguises)) {
    it(`a token under ${name}, anywhere in any text: no part of it is left`, () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...FIXED),
          fc.nat(1000),
          fc.array(fc.constantFrom('some', 'words', 'key', '42', '–', 'ä', '{', '"', '\t'), { maxLength: 6 }),
          fc.array(fc.constantFrom('more', 'text', 'token', '7', '}', '😀', ','), { maxLength: 6 }),
          (kind, position, before, after) => {
            const token = TOKENS[kind] as string;
            const hidden = disguise(token, 1 + (position % (token.length - 2)));
            const redacted = redactText([...before, hidden, ...after].join(' '));
            expect(redacted).toBe([...before, `[redacted:${kind}]`, ...after].join(' '));
          },
        ),
        { numRuns: 150 },
      );
    });
  }

  it('a backslash right before a token that begins with n: the token is not taken for a line break', () => {
    expect(redactText(`C:\\${TOKENS.npm_token}`)).toBe('C:\\[redacted:npm_token]');
  });

  it('text that says to switch the scanner off: changes nothing', () => {
    expect(redactText(`secretlint-disable\n# gitleaks:allow\n${TOKENS.github_token}`)).not.toContain(
      TOKENS.github_token,
    );
  });
});

describe('any text', () => {
  const pieces = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '%',
      '%2',
      '\\',
      '\\u00',
      '\\x',
      '&#',
      ';',
      '\n',
      '\u200b',
      'eyJ',
      '://',
      ':',
      '@',
      '-----BEGIN ',
      'api_key=',
      '.',
      'sk-',
    ),
    fc.constantFrom(...Object.values(TOKENS)),
  );
  const text = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''));

  it('findings are in order, inside the text and apart from each other', () => {
    fc.assert(
      fc.property(text, (given) => {
        let last = 0;
        for (const { start, end } of scanText(given)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(given.length);
      }),
      { numRuns: 500 },
    );
  });

  it('what surrounds a token with a space between: is kept to the letter', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'ß', '"', '{', 'word', '—'), { maxLength: 8 }), (parts) => {
        const around = parts.join(' ');
        expect(redactText(`${around} ${TOKENS.github_token} ${around}`)).toBe(
          `${around} [redacted:github_token] ${around}`,
        );
      }),
    );
  });

  it.each([
    'sk-',
    'sk-ant-',
    'eyJ',
    'eyJ\n',
    'eyJ.',
    '://a:',
    ':AA',
    '-----BEGIN PRIVATE KEY-----',
    'api_key=',
    'password=',
    'xoxb-',
    '\\',
    '%',
    '%25',
    '&#',
    '&#1',
    ' \n',
    'a\n',
    '.......',
    'basic AAAAAAAA',
  ])('%j twenty thousand times over: comes to an end', (piece) => {
    // A scanner with a quadratic spot takes minutes here, far longer than a test may run.
    expect(scanText(piece.repeat(20_000))).toEqual([]);
  });

  it('one mebibyte of ordinary text with a token at its end: the token is found', () => {
    const line = 'The quick brown fox reads https://news.example.org/2026/01/some-article?id=42 and a password word.\n';
    const big = line.repeat(Math.ceil(1_048_576 / line.length));
    expect(scanText(big + TOKENS.github_token).map(({ kind }) => kind)).toEqual(['github_token']);
  });
});
