/**
 * Made-up tokens of the right shape. They are put together here, from parts, so that no scanner of repositories takes them for real ones.
 */
const ALNUM = 'q7ZxV2mK9sLt4RbW8nYc3HdJ6fGp1AeU5oQiTz0XvBwMkEyNgPrSjDuFhClIaO';
const HEX = '9f3a0c7be15d2846';

/** The first `length` characters of an endless made-up string. */
export function alnum(length: number): string {
  return ALNUM.repeat(Math.ceil(length / ALNUM.length)).slice(0, length);
}

export function hex(length: number): string {
  return HEX.repeat(Math.ceil(length / HEX.length)).slice(0, length);
}

export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

const url64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

/** By kind, one token that says by itself what it is. */
export const TOKENS: Record<string, string> = {
  aws_access_key: ['AK', 'IA', 'Q7ZXV2MK5SLT4RBW'].join(''),
  github_token: ['gh', 'p_', alnum(36)].join(''),
  gitlab_token: ['gl', 'pat-', alnum(20)].join(''),
  anthropic_key: ['sk-', 'ant-', 'api03-', alnum(80)].join(''),
  openai_key: ['sk-', 'proj-', alnum(48)].join(''),
  google_api_key: ['AI', 'za', alnum(35)].join(''),
  google_oauth_secret: ['GOC', 'SPX-', alnum(28)].join(''),
  slack_token: ['xo', 'xb-', '123456789012-123456789012-', alnum(24)].join(''),
  slack_webhook: ['hooks.slack', '.com/services/', `T0${alnum(8)}/B0${alnum(8)}/${alnum(24)}`].join(''),
  stripe_key: ['sk', '_live_', alnum(24)].join(''),
  twilio_key: ['S', 'K', hex(32)].join(''),
  sendgrid_key: ['S', 'G.', alnum(22), '.', alnum(43)].join(''),
  npm_token: ['np', 'm_', alnum(36)].join(''),
  pypi_token: ['py', 'pi-', 'AgEI', alnum(60)].join(''),
  shopify_token: ['shp', 'at_', hex(32)].join(''),
  digitalocean_token: ['do', 'p_v1_', hex(64)].join(''),
  mailgun_key: ['ke', 'y-', hex(32)].join(''),
  huggingface_token: ['h', 'f_', alnum(34)].join(''),
  databricks_token: ['da', 'pi', hex(32)].join(''),
  telegram_token: ['123456', '7890:A', 'A', alnum(33)].join(''),
  discord_token: [url64('123456789012345678'), alnum(6), alnum(38)].join('.'),
  jwt: [url64('{"alg":"HS256","typ":"JWT"}'), url64('{"sub":"1234567890","name":"A"}'), alnum(43)].join('.'),
};

/** By kind, a text in which a value is a secret by what stands before it, and that value. */
export const NAMED: Record<string, { text: string; secret: string }> = {
  aws_secret_key: { text: `aws_secret_access_key = ${alnum(40)}`, secret: alnum(40) },
  azure_storage_key: { text: `AccountName=a;AccountKey=${alnum(86)}==;Suffix=x`, secret: alnum(86) },
  heroku_key: {
    text: `HEROKU_API_KEY="${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}"`,
    secret: `${hex(8)}-${hex(4)}-${hex(4)}`,
  },
  twilio_token: { text: `twilio_auth: ${hex(32)}`, secret: hex(32) },
  bearer_token: { text: `Authorization: Bearer ${alnum(40)}`, secret: alnum(40) },
  basic_auth: { text: `Authorization: Basic ${base64('me:hunter22x')}`, secret: base64('me:hunter22x').slice(0, 12) },
  url_password: { text: `see postgres://me:${'hunter'}22x@db.example.test/x`, secret: 'hunter22x' },
  password: { text: `password: "${alnum(14)}"`, secret: alnum(14) },
  generic_secret: { text: `api_key = '${alnum(24)}'`, secret: alnum(24) },
  private_key: {
    text: `a\n-----BEGIN ${'RSA PRIVATE'} KEY-----\n${alnum(64)}\n${alnum(64)}\n-----END ${'RSA PRIVATE'} KEY-----\nb`,
    secret: alnum(64),
  },
};
